// Decodes a program counter in compiled code: the size of its frame, and the methods inlined in it,
// innermost first. Read from the nmethod's PcDescs and scopes (debugInfo, pcDesc in HotSpot).
//
//   PcDesc (16 bytes)  | i4 pc, from the code's begin | i4 scope, 0 none | i4 objects | i4 flags |
//   scope              three numbers: the sender's scope (0: none), the method's index in the
//                      nmethod's metadata (from 1), bci + 1
//   number             1 to 5 bytes, base 192: a byte below 192 is the last (UNSIGNED5)
//
// All program counters are return addresses of calls, for which the compiler emits an exact PcDesc;
// any other is odd. The caller's own frame keeps the code alive. Any thread.
#pragma once

#include <array>
#include <string_view>

#include "stack/walk/vm_memory.h"

namespace ddm {

inline constexpr std::int32_t kNoBci = -1;  // of a native method

struct MethodFrame {
  VmAddress method;  // Method*
  std::int32_t bci;
};

enum class CodeKind : std::uint8_t {
  kOdd,               // unknown or unexpected: the walk ends
  kCompiled,          // has method frames
  kStub,              // a frame of the VM's, without a method
  kPatched,           // marked for deoptimization; the original pc is stored in the frame
  kVirtualThreadEnd,  // outside a virtual thread's outermost frame
  kBarrier,           // a virtual thread's outer frames are in the heap
  kDowncall,          // a stub from Java to native code (java.lang.foreign), which may be freed
  kUpcall,            // and one from native code to Java
};

// How a walk of a thread's stack ends.
enum class WalkEnd : std::uint8_t {
  kComplete,       // at the outermost frame, or at the requested depth
  kBarrier,        // a virtual thread's outer frames are in the heap
  kOdd,            // an unexpected frame
  kUnknownMethod,  // a method without an id
  kNoMemory,
  kUpcall,  // native code called Java, and the VM does not tell from where
  kCount
};

// Whether what was decoded may be kept: stubs of java.lang.foreign are freed without a trace.
constexpr bool may_be_kept(CodeKind kind) {
  return kind != CodeKind::kDowncall && kind != CodeKind::kUpcall;
}

struct CompiledFrame {
  static constexpr std::size_t kMostInlined = 64;

  CodeKind kind = CodeKind::kOdd;
  // Of the frame; kPatched: from sp to the stored original pc; kUpcall: to the stub's data, or
  // kAbsent.
  std::int32_t bytes = 0;
  VmAddress identity_at = 0;  // address of the nmethod's compile id; 0: the code is never freed
  std::uint32_t identity = 0;
  std::size_t count = 0;
  std::array<MethodFrame, kMostInlined> frames;  // `count` of them
};

class CompiledFrames {
 public:
  CompiledFrames(const VmLayout& layout, const UnprovenMemory& memory)
      : layout_(layout), memory_(memory) {}

  void decode(VmAddress pc, CompiledFrame& result) const;

 private:
  struct Parts {
    VmAddress code, pcs, pcs_end, data, data_end, metadata, metadata_end;
  };

  // The start of the CodeBlob that contains a pc, by the VM's segment map; 0: none.
  VmAddress blob_of(VmAddress pc) const;
  // A blob's name is one of a few constants.
  bool is_named(VmAddress blob, std::string_view name) const;
  bool is_nmethod(VmAddress blob) const;
  Parts parts_of(VmAddress nmethod) const;
  bool is_virtual_thread_entry(VmAddress nmethod) const;
  bool is_deopt_pc(VmAddress nmethod, VmAddress pc) const;
  void decode_nmethod(VmAddress nmethod, VmAddress pc, CompiledFrame& result) const;
  bool decode_scopes(const Parts& parts, std::int32_t scope, CompiledFrame& result) const;
  void decode_stub(VmAddress blob, CompiledFrame& result) const;

  const VmLayout& layout_;
  const UnprovenMemory& memory_;
};

}  // namespace ddm
