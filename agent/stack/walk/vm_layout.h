// The HotSpot structures that a stack walk reads: offsets, addresses and constants, filled by
// stack/layout_detection from vmStructs. Pure data; a test fills it with its own layout.
//
// All offsets in bytes. -1: not present in this VM.
#pragma once

#include <cstdint>
#include <vector>

namespace ddm {

using VmAddress = std::uintptr_t;
using Offset = std::int32_t;

inline constexpr Offset kAbsent = -1;

// A heap of compiled code: segments, and a byte per segment that gives the distance back to the
// start of its block (0xff: in no block).
struct CodeHeapPlace {
  VmAddress low = 0;
  VmAddress high_at = 0;  // address of the end of its committed memory, which grows
  VmAddress high_reserved = 0;
  VmAddress segment_map = 0;
  int log2_segment = 0;
};

// The fields of a frame anchor in some structure.
struct AnchorPlace {
  // In a structure that has the anchor at `offset`.
  AnchorPlace at(Offset offset) const { return {offset + sp, offset + pc, offset + fp}; }

  Offset sp = kAbsent, pc = kAbsent, fp = kAbsent;
};

struct VmLayout {
  // JavaThread, and the frame anchor in it and in a JavaCallWrapper
  AnchorPlace anchor;
  Offset stack_base = kAbsent, stack_size = kAbsent;
  AnchorPlace wrapper;
  // The stub of an upcall (java.lang.foreign): in its blob, how far above its sp its data are, and
  // the frame anchor in these. Since JDK 25.
  Offset upcall_data = kAbsent;
  AnchorPlace upcall_anchor;

  std::vector<CodeHeapPlace> code_heaps;
  Offset block_header = kAbsent, block_used = kAbsent;

  // CodeBlob
  Offset blob_name = kAbsent, blob_kind = kAbsent, blob_frame_words = kAbsent;
  Offset blob_code = kAbsent;
  int kind_nmethod = 0;

  // nmethod. Before JDK 23 its parts are addresses, since then offsets from its start.
  bool parts_by_offset = false;
  Offset method = kAbsent, compile_id = kAbsent, orig_pc = kAbsent;
  // Offset in the nmethod of a byte whose value is between these two until the code is freed.
  Offset alive = kAbsent;
  std::uint8_t alive_least = 1, alive_most = 1;
  Offset deopt = kAbsent, deopt_mh = kAbsent;
  Offset scopes_pcs = kAbsent;      // the PcDescs; the next int is their end
  Offset scopes_data = kAbsent;     // before 23 an address, since then an offset
  Offset immutable_data = kAbsent;  // since 23: the base of scopes_pcs and scopes_data
  Offset immutable_size = kAbsent;
  Offset metadata = kAbsent;                                                         // before 25
  Offset mutable_data = kAbsent, mutable_size = kAbsent, relocation_size = kAbsent;  // since 25
  std::uint8_t stream_base = 0;  // subtracted from each byte of the scopes' numbers

  // VM code met by walks
  VmAddress interpreter_low = 0, interpreter_high = 0;
  VmAddress call_stub_return = 0;
  // Address of the pc outside a virtual thread's outermost frame, null before the first one has
  // run; where the VM does not export it (21), the Method that is entered there. Both 0: the VM has
  // no virtual threads.
  VmAddress virtual_thread_entry_at = 0;
  VmAddress virtual_thread_entry = 0;

  // Metadata
  Offset method_const = kAbsent;
  Offset const_pool = kAbsent, const_idnum = kAbsent, const_code_size = kAbsent;
  Offset const_code = kAbsent;  // sizeof(ConstMethod): the bytecode follows it
  Offset pool_holder = kAbsent, holder_ids = kAbsent;
  bool ids_are_keys = false;    // jmethodIDs are no pointers (26 and later)
  Offset class_cell = kAbsent;  // in a Klass: the reference to its java.lang.Class
};

}  // namespace ddm
