#include "stack/walk/compiled_frames.h"

#include <algorithm>

#include "stack/walk/number_stream.h"

namespace ddm {
namespace {

constexpr std::int32_t kWord = sizeof(VmAddress);
constexpr std::int32_t kMostFrameWords = 1 << 17;  // a megabyte
constexpr std::uint8_t kInNoBlock = 0xff;          // in a segment map

struct PcDesc {
  std::int32_t pc, scope, objects, flags;
};

}  // namespace

VmAddress CompiledFrames::blob_of(VmAddress pc) const {
  for (const CodeHeapPlace& heap : layout_.code_heaps) {
    if (pc < heap.low || pc >= heap.high_reserved) continue;
    if (pc >= memory_.read<VmAddress>(heap.high_at)) return 0;
    // A byte holds a limited distance, so a large block takes several steps.
    auto segment = static_cast<std::int64_t>((pc - heap.low) >> heap.log2_segment);
    for (;;) {
      const auto back = memory_.read<std::uint8_t>(heap.segment_map + segment);
      if (back == 0) break;
      segment -= back;
      if (back == kInNoBlock || segment < 0) return 0;
    }
    const VmAddress block = heap.low + (static_cast<VmAddress>(segment) << heap.log2_segment);
    if (memory_.read<std::uint8_t>(block + layout_.block_used) == 0) return 0;
    return block + layout_.block_header;
  }
  return 0;
}

bool CompiledFrames::is_named(VmAddress blob, std::string_view name) const {
  auto at = memory_.read<VmAddress>(blob + static_cast<VmAddress>(layout_.blob_name));
  if (at == 0) return false;
  for (const char c : name) {
    if (memory_.read<char>(at++) != c) return false;
  }
  return memory_.read<char>(at) == '\0';
}

void CompiledFrames::decode(VmAddress pc, CompiledFrame& result) const {
  result.kind = CodeKind::kOdd;
  result.count = 0;
  result.identity_at = 0;
  const VmAddress blob = blob_of(pc);
  if (blob == 0) return;
  const auto words = memory_.read<std::int32_t>(blob + layout_.blob_frame_words);
  if (words < 0 || words > kMostFrameWords) return;
  result.bytes = words * kWord;
  if (is_nmethod(blob)) {
    if (words > 0) decode_nmethod(blob, pc, result);
  } else {
    decode_stub(blob, result);
  }
}

bool CompiledFrames::is_nmethod(VmAddress blob) const {
  if (layout_.blob_kind != kAbsent) {
    return memory_.read<std::uint8_t>(blob + layout_.blob_kind) == layout_.kind_nmethod;
  }
  return is_named(blob, "nmethod") || is_named(blob, "native nmethod");
}

void CompiledFrames::decode_stub(VmAddress blob, CompiledFrame& result) const {
  if (is_named(blob, "StubRoutines (continuation stubs)") ||
      is_named(blob, "StubRoutines (continuationstubs)")) {  // 22 to 25
    result.kind = CodeKind::kBarrier;
  } else if (is_named(blob, "upcall_stub")) {
    result.kind = CodeKind::kUpcall;
    result.bytes =
        layout_.upcall_data == kAbsent
            ? kAbsent
            : memory_.read<std::int32_t>(blob + static_cast<VmAddress>(layout_.upcall_data));
  } else if (result.bytes > 0) {
    result.kind = is_named(blob, "nep_invoker_blob") ? CodeKind::kDowncall : CodeKind::kStub;
  }
}

bool CompiledFrames::is_deopt_pc(VmAddress nmethod, VmAddress pc) const {
  if (layout_.parts_by_offset) {
    const auto deopt = memory_.read<std::int32_t>(nmethod + layout_.deopt);
    if (pc == nmethod + deopt || layout_.deopt_mh == kAbsent) return pc == nmethod + deopt;
    const auto deopt_mh = memory_.read<std::int32_t>(nmethod + layout_.deopt_mh);
    return deopt_mh != -1 && pc == nmethod + deopt_mh;
  }
  return pc == memory_.read<VmAddress>(nmethod + layout_.deopt) ||
         pc == memory_.read<VmAddress>(nmethod + layout_.deopt_mh);
}

bool CompiledFrames::is_virtual_thread_entry(VmAddress nmethod) const {
  if (layout_.virtual_thread_entry_at == 0) {
    return layout_.virtual_thread_entry != 0 &&
           memory_.read<VmAddress>(nmethod + layout_.method) == layout_.virtual_thread_entry;
  }
  const auto pc = memory_.read<VmAddress>(layout_.virtual_thread_entry_at);
  return pc != 0 && blob_of(pc) == nmethod;
}

CompiledFrames::Parts CompiledFrames::parts_of(VmAddress nmethod) const {
  const auto int_at = [this, nmethod](Offset offset) {
    return memory_.read<std::int32_t>(nmethod + offset);
  };
  const std::int32_t pcs = int_at(layout_.scopes_pcs);
  const std::int32_t pcs_end = int_at(layout_.scopes_pcs + 4);
  Parts parts{};
  if (!layout_.parts_by_offset) {
    parts.code = memory_.read<VmAddress>(nmethod + layout_.blob_code);
    parts.pcs = nmethod + pcs;
    parts.pcs_end = nmethod + pcs_end;
    parts.data = memory_.read<VmAddress>(nmethod + layout_.scopes_data);
    parts.data_end = parts.pcs;
    parts.metadata = nmethod + int_at(layout_.metadata);
    parts.metadata_end = parts.data;
    return parts;
  }
  const auto immutable = memory_.read<VmAddress>(nmethod + layout_.immutable_data);
  parts.code = nmethod + int_at(layout_.blob_code);
  parts.pcs = immutable + pcs;
  parts.pcs_end = immutable + pcs_end;
  parts.data = immutable + int_at(layout_.scopes_data);
  parts.data_end = immutable + int_at(layout_.immutable_size);
  const auto mutable_data = memory_.read<VmAddress>(nmethod + layout_.mutable_data);
  parts.metadata = mutable_data + int_at(layout_.relocation_size);
  parts.metadata_end = mutable_data + int_at(layout_.mutable_size);
  return parts;
}

void CompiledFrames::decode_nmethod(VmAddress nmethod, VmAddress pc, CompiledFrame& result) const {
  result.identity_at = nmethod + layout_.compile_id;
  result.identity = memory_.read<std::uint32_t>(result.identity_at);
  if (is_virtual_thread_entry(nmethod)) {
    result.kind = CodeKind::kVirtualThreadEnd;
    return;
  }
  if (is_deopt_pc(nmethod, pc)) {
    result.kind = CodeKind::kPatched;
    result.bytes = memory_.read<std::int32_t>(nmethod + layout_.orig_pc);
    return;
  }
  const Parts parts = parts_of(nmethod);
  const auto wanted = static_cast<std::int64_t>(pc - parts.code);
  std::size_t low = 0;
  std::size_t high = parts.pcs_end > parts.pcs ? (parts.pcs_end - parts.pcs) / sizeof(PcDesc) : 0;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    const auto desc = memory_.read<PcDesc>(parts.pcs + middle * sizeof(PcDesc));
    if (desc.pc == wanted) {
      if (desc.scope != 0) {
        if (decode_scopes(parts, desc.scope, result)) result.kind = CodeKind::kCompiled;
        return;
      }
      break;
    }
    if (desc.pc < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  // A native method's wrapper has no scopes, and no PcDesc for its one call.
  if (!is_named(nmethod, "native nmethod")) return;
  result.frames[result.count++] = {memory_.read<VmAddress>(nmethod + layout_.method), kNoBci};
  result.kind = CodeKind::kCompiled;
}

bool CompiledFrames::decode_scopes(const Parts& parts, std::int32_t scope,
                                   CompiledFrame& result) const {
  while (scope > 0) {
    if (result.count == CompiledFrame::kMostInlined) return false;
    NumberStream numbers(parts.data + scope, parts.data_end, layout_.stream_base, &memory_);
    const std::int32_t sender = numbers.next();
    const std::int32_t method = numbers.next();
    // -1: at the method's entry, before its first instruction.
    const std::int32_t bci = std::max(numbers.next() - 1, 0);
    if (!numbers.good() || method < 1) return false;
    const VmAddress at = parts.metadata + static_cast<VmAddress>(method - 1) * sizeof(VmAddress);
    if (at + sizeof(VmAddress) > parts.metadata_end) return false;
    result.frames[result.count++] = {memory_.read<VmAddress>(at), bci};
    // A sender's scope precedes those of its inlined callees.
    if (sender >= scope) return false;
    scope = sender;
  }
  return scope == 0;
}

}  // namespace ddm
