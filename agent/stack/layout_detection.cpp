#include "stack/layout_detection.h"

#include <algorithm>

#include "stack/walk/number_stream.h"
#include "vm/boot_class.h"
#include "vm/vm_entries.h"
#include "vm/vm_structs.h"

namespace ddm {
namespace {

constexpr VmAddress kMostCode = VmAddress{1} << 32;
constexpr std::uint8_t kFreeSegment = 0xff;

Offset offset_in(VmEntries& entries, VmEntries::Names names) {
  return static_cast<Offset>(entries.offset(names));
}

void find_thread(VmEntries& entries, VmLayout& layout) {
  const AnchorPlace fields{offset_in(entries, {{"JavaFrameAnchor", "_last_Java_sp"}}),
                           offset_in(entries, {{"JavaFrameAnchor", "_last_Java_pc"}}),
                           offset_in(entries, {{"JavaFrameAnchor", "_last_Java_fp"}})};
  layout.anchor = fields.at(offset_in(entries, {{"JavaThread", "_anchor"}}));
  layout.wrapper = fields.at(offset_in(entries, {{"JavaCallWrapper", "_anchor"}}));
  // Without them, stacks with upcalls are left to GetStackTrace.
  const auto data = vm_structs::offset_of("UpcallStub", "_frame_data_offset");
  const auto upcall = vm_structs::offset_of("UpcallStub::FrameData", "jfa");
  if (data && upcall) {
    layout.upcall_data = static_cast<Offset>(*data);
    layout.upcall_anchor = fields.at(static_cast<Offset>(*upcall));
  }
  layout.stack_base = offset_in(entries, {{"JavaThread", "_stack_base"}});
  layout.stack_size = offset_in(entries, {{"JavaThread", "_stack_size"}});
  // The frame layouts that FrameWalker's constants assume.
  entries.expect(entries.constant({"frame::entry_frame_call_wrapper_offset"}) == -6 &&
                     entries.constant({"frame::interpreter_frame_sender_sp_offset"}) == -1 &&
                     // Not exported by JDK 28.
                     vm_structs::int_constant("frame::pc_return_offset").value_or(0) == 0,
                 "frame::*_offset");
}

void find_nmethods(VmEntries& entries, VmLayout& layout) {
  layout.blob_name = offset_in(entries, {{"CodeBlob", "_name"}});
  layout.blob_frame_words = offset_in(entries, {{"CodeBlob", "_frame_size"}});
  layout.method = offset_in(entries, {{"nmethod", "_method"}, {"CompiledMethod", "_method"}});
  layout.compile_id = offset_in(entries, {{"nmethod", "_compile_id"}});
  layout.orig_pc = offset_in(entries, {{"nmethod", "_orig_pc_offset"}});
  layout.scopes_pcs = offset_in(entries, {{"nmethod", "_scopes_pcs_offset"}});
  layout.parts_by_offset = vm_structs::offset_of("nmethod", "_immutable_data").has_value();
  if (!layout.parts_by_offset) {
    layout.blob_code = offset_in(entries, {{"CodeBlob", "_code_begin"}});
    layout.deopt = offset_in(entries, {{"CompiledMethod", "_deopt_handler_begin"}});
    layout.deopt_mh = offset_in(entries, {{"CompiledMethod", "_deopt_mh_handler_begin"}});
    layout.scopes_data = offset_in(entries, {{"CompiledMethod", "_scopes_data_begin"}});
    layout.metadata = offset_in(entries, {{"nmethod", "_metadata_offset"}});
    // Next to the compile id. 0 to 2: in use, not used, not entrant; later states have no frames.
    layout.alive = offset_in(entries, {{"nmethod", "_state"}});
    layout.alive_least = 0;
    layout.alive_most = 2;
    return;
  }
  layout.blob_kind = offset_in(entries, {{"CodeBlob", "_kind"}});
  layout.kind_nmethod = entries.constant({"CodeBlobKind::Nmethod"});
  layout.blob_code = offset_in(entries, {{"CodeBlob", "_code_offset"}});
  layout.deopt = offset_in(
      entries, {{"nmethod", "_deopt_handler_offset"}, {"nmethod", "_deopt_handler_entry_offset"}});
  layout.deopt_mh = static_cast<Offset>(
      vm_structs::offset_of("nmethod", "_deopt_mh_handler_offset").value_or(kAbsent));
  layout.immutable_data = offset_in(entries, {{"nmethod", "_immutable_data"}});
  layout.immutable_size = offset_in(entries, {{"nmethod", "_immutable_data_size"}});
  layout.scopes_data = offset_in(entries, {{"nmethod", "_scopes_data_offset"}});
  layout.mutable_data = offset_in(entries, {{"CodeBlob", "_mutable_data"}});
  layout.mutable_size = offset_in(entries, {{"CodeBlob", "_mutable_data_size"}});
  layout.relocation_size = offset_in(entries, {{"CodeBlob", "_relocation_size"}});
}

void find_metadata(VmEntries& entries, VmLayout& layout) {
  layout.method_const = offset_in(entries, {{"Method", "_constMethod"}});
  layout.const_pool = offset_in(entries, {{"ConstMethod", "_constants"}});
  layout.const_idnum = offset_in(entries, {{"ConstMethod", "_method_idnum"}});
  layout.const_code_size = offset_in(entries, {{"ConstMethod", "_code_size"}});
  layout.const_code = static_cast<Offset>(entries.size("ConstMethod"));
  layout.pool_holder = offset_in(entries, {{"ConstantPool", "_pool_holder"}});
  layout.holder_ids = offset_in(entries, {{"InstanceKlass", "_methods_jmethod_ids"}});
  layout.class_cell =
      static_cast<Offset>(vm_structs::offset_of("Klass", "_java_mirror").value_or(kAbsent));
}

void find_code_heaps(VmEntries& entries, VmLayout& layout) {
  const auto heaps = entries.value<VmAddress>({{"CodeCache", "_heaps"}});
  const VmAddress length = entries.offset({{"GrowableArrayBase", "_len"}});
  const VmAddress data = entries.offset({{"GrowableArray<int>", "_data"}});
  const VmAddress memory = entries.offset({{"CodeHeap", "_memory"}});
  const VmAddress segments = entries.offset({{"CodeHeap", "_segmap"}});
  const VmAddress log2_segment = entries.offset({{"CodeHeap", "_log2_segment_size"}});
  const VmAddress low = entries.offset({{"VirtualSpace", "_low"}});
  const VmAddress high = entries.offset({{"VirtualSpace", "_high"}});
  const VmAddress reserved = entries.offset({{"VirtualSpace", "_high_boundary"}});
  layout.block_header = static_cast<Offset>(entries.size("HeapBlock"));
  layout.block_used = offset_in(entries, {{"HeapBlock::Header", "_used"}});
  // Without a state in the nmethod, the heap block's header says whether the code was freed.
  if (layout.alive == kAbsent) layout.alive = layout.block_used - layout.block_header;
  if (!entries.hold() || heaps == 0) return;
  constexpr std::int32_t kMostHeaps = 8;
  const auto count = entries.read<std::int32_t>(heaps + length, "GrowableArrayBase::_len");
  const auto list = entries.read<VmAddress>(heaps + data, "GrowableArray<int>::_data");
  entries.expect(count > 0 && count <= kMostHeaps, "GrowableArrayBase::_len");
  for (std::int32_t i = 0; i < count && entries.hold(); ++i) {
    const auto heap =
        entries.read<VmAddress>(list + static_cast<VmAddress>(i) * 8, "GrowableArray<int>::_data");
    const auto word = [&](VmAddress offset, const char* what) {
      return entries.read<VmAddress>(heap + offset, what);
    };
    const CodeHeapPlace place{
        word(memory + low, "VirtualSpace::_low"), heap + memory + high,
        word(memory + reserved, "VirtualSpace::_high_boundary"),
        word(segments + low, "CodeHeap::_segmap"),
        entries.read<std::int32_t>(heap + log2_segment, "CodeHeap::_log2_segment_size")};
    const VmAddress committed = word(memory + high, "VirtualSpace::_high");
    entries.expect(place.low != 0 && place.low <= committed && committed <= place.high_reserved &&
                       place.high_reserved - place.low <= kMostCode,
                   "CodeHeap::_memory");
    entries.expect(place.log2_segment > 0 && place.log2_segment < 16,
                   "CodeHeap::_log2_segment_size");
    const auto first_segment = entries.read<std::uint8_t>(place.segment_map, "CodeHeap::_segmap");
    // The first block, if there is one, begins with the first segment.
    entries.expect(first_segment == 0 || first_segment == kFreeSegment, "CodeHeap::_segmap");
    layout.code_heaps.push_back(place);
  }
}

void find_known_code(VmEntries& entries, VmLayout& layout) {
  layout.call_stub_return =
      entries.value<VmAddress>({{"StubRoutines", "_call_stub_return_address"}});
  const auto queue = entries.value<VmAddress>({{"AbstractInterpreter", "_code"}});
  const VmAddress buffer = entries.offset({{"StubQueue", "_stub_buffer"}});
  const VmAddress limit = entries.offset({{"StubQueue", "_buffer_limit"}});
  if (queue != 0 && entries.hold()) {
    layout.interpreter_low = entries.read<VmAddress>(queue + buffer, "StubQueue::_stub_buffer");
    layout.interpreter_high =
        layout.interpreter_low + static_cast<VmAddress>(entries.read<std::int32_t>(
                                     queue + limit, "StubQueue::_buffer_limit"));
  }
  const auto is_code = [&layout](VmAddress from, VmAddress to) {
    return std::ranges::any_of(layout.code_heaps, [&](const auto& heap) {
      return heap.low <= from && from <= to && to < heap.high_reserved;
    });
  };
  entries.expect(layout.interpreter_low < layout.interpreter_high &&
                     is_code(layout.interpreter_low, layout.interpreter_high),
                 "AbstractInterpreter::_code");
  entries.expect(is_code(layout.call_stub_return, layout.call_stub_return),
                 "StubRoutines::_call_stub_return_address");
  layout.virtual_thread_entry_at =
      vm_structs::address_of("ContinuationEntry", "_return_pc").value_or(0);
}

// 0: the VM has no virtual threads, or the Method* is unknown.
VmAddress find_virtual_thread_entry(JNIEnv* jni, const MethodPointers& methods) {
  const LocalRef<jclass> type(jni, find_boot_class(jni, "jdk/internal/vm/Continuation"));
  if (!type) return 0;
  const jmethodID id =
      jni->GetStaticMethodID(type.get(), "enterSpecial", "(Ljdk/internal/vm/Continuation;ZZ)V");
  if (clear_exception(jni) || id == nullptr) return 0;
  return reinterpret_cast<VmAddress>(methods.of(id));
}

}  // namespace

Result<VmLayout> detect_vm_layout(JNIEnv* jni, const MethodPointers& methods) {
#if defined(__x86_64__)
  VmEntries entries;
  VmLayout layout;
  layout.stream_base = stream_base_of(jni->GetVersion());
  find_thread(entries, layout);
  find_nmethods(entries, layout);
  find_metadata(entries, layout);
  find_code_heaps(entries, layout);
  find_known_code(entries, layout);
  layout.ids_are_keys = !methods.known();
  if (layout.virtual_thread_entry_at == 0) {
    layout.virtual_thread_entry = find_virtual_thread_entry(jni, methods);
  }
  if (!entries.hold()) return Error{"this VM does not tell of " + entries.wrong()};
  return layout;
#else
  return Error{"the walk knows no frames but those of x86-64"};
#endif
}

}  // namespace ddm
