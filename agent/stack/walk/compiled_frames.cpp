#include "stack/walk/compiled_frames.h"

#include <algorithm>
#include <string_view>

namespace ddm {
namespace {

constexpr std::int32_t kWord = sizeof(VmAddress);
constexpr std::int32_t kMostFrameWords = 1 << 17;  // a megabyte

struct PcDesc {
  std::int32_t pc, scope, objects, flags;
};

// The numbers of a scope. good() is false once one of them ran over the end.
class ScopeReader {
 public:
  ScopeReader(VmAddress at, VmAddress end, std::uint8_t base) : at_(at), end_(end), base_(base) {}

  std::int32_t next() {
    constexpr std::uint32_t kLastBelow = 192;
    constexpr int kMostShift = 24;
    std::uint32_t sum = 0;
    for (int shift = 0;; shift += 6) {
      if (at_ >= end_) {
        good_ = false;
        return 0;
      }
      const std::uint32_t byte = load<std::uint8_t>(at_++);
      sum += (byte - base_) << shift;
      if (byte < kLastBelow || shift == kMostShift) return static_cast<std::int32_t>(sum);
    }
  }

  bool good() const { return good_; }

 private:
  VmAddress at_;
  const VmAddress end_;
  const std::uint32_t base_;
  bool good_ = true;
};

std::string_view text_at(VmAddress at) {
  return at == 0 ? std::string_view() : std::string_view(reinterpret_cast<const char*>(at));
}

}  // namespace

CompiledFrames::CompiledFrames(const VmLayout& layout, const CodeHeaps& heaps)
    : layout_(layout), heaps_(heaps) {}

void CompiledFrames::decode(VmAddress pc, CompiledFrame& result) const {
  result.kind = CodeKind::kOdd;
  result.count = 0;
  result.identity_at = 0;
  const VmAddress blob = heaps_.blob_of(pc);
  if (blob == 0) return;
  const auto words = load<std::int32_t>(blob + layout_.blob_frame_words);
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
    return load<std::uint8_t>(blob + layout_.blob_kind) == layout_.kind_nmethod;
  }
  const std::string_view name = text_at(load<VmAddress>(blob + layout_.blob_name));
  return name == "nmethod" || name == "native nmethod";
}

void CompiledFrames::decode_stub(VmAddress blob, CompiledFrame& result) const {
  const std::string_view name = text_at(load<VmAddress>(blob + layout_.blob_name));
  if (name == "StubRoutines (continuationstubs)") {
    result.kind = CodeKind::kBarrier;
  } else if (result.bytes > 0) {
    result.kind = CodeKind::kStub;
  }
}

bool CompiledFrames::is_deopt_pc(VmAddress nmethod, VmAddress pc) const {
  if (layout_.parts_by_offset) {
    const auto deopt = load<std::int32_t>(nmethod + layout_.deopt);
    const auto deopt_mh = load<std::int32_t>(nmethod + layout_.deopt_mh);
    return pc == nmethod + deopt || (deopt_mh != -1 && pc == nmethod + deopt_mh);
  }
  return pc == load<VmAddress>(nmethod + layout_.deopt) ||
         pc == load<VmAddress>(nmethod + layout_.deopt_mh);
}

bool CompiledFrames::is_virtual_thread_entry(VmAddress nmethod) const {
  if (layout_.virtual_thread_entry_at == 0) return false;
  const auto pc = load<VmAddress>(layout_.virtual_thread_entry_at);
  return pc != 0 && heaps_.blob_of(pc) == nmethod;
}

CompiledFrames::Parts CompiledFrames::parts_of(VmAddress nmethod) const {
  const auto int_at = [nmethod](Offset offset) { return load<std::int32_t>(nmethod + offset); };
  const std::int32_t pcs = int_at(layout_.scopes_pcs);
  const std::int32_t pcs_end = int_at(layout_.scopes_pcs + 4);
  Parts parts{};
  if (!layout_.parts_by_offset) {
    parts.code = load<VmAddress>(nmethod + layout_.blob_code);
    parts.pcs = nmethod + pcs;
    parts.pcs_end = nmethod + pcs_end;
    parts.data = load<VmAddress>(nmethod + layout_.scopes_data);
    parts.data_end = parts.pcs;
    parts.metadata = nmethod + int_at(layout_.metadata);
    parts.metadata_end = parts.data;
    return parts;
  }
  const auto immutable = load<VmAddress>(nmethod + layout_.immutable_data);
  parts.code = nmethod + int_at(layout_.blob_code);
  parts.pcs = immutable + pcs;
  parts.pcs_end = immutable + pcs_end;
  parts.data = immutable + int_at(layout_.scopes_data);
  parts.data_end = immutable + int_at(layout_.immutable_size);
  const auto mutable_data = load<VmAddress>(nmethod + layout_.mutable_data);
  parts.metadata = mutable_data + int_at(layout_.relocation_size);
  parts.metadata_end = mutable_data + int_at(layout_.mutable_size);
  return parts;
}

void CompiledFrames::decode_nmethod(VmAddress nmethod, VmAddress pc, CompiledFrame& result) const {
  result.identity_at = nmethod + layout_.compile_id;
  result.identity = load<std::uint32_t>(result.identity_at);
  if (is_virtual_thread_entry(nmethod)) {
    result.kind = CodeKind::kVirtualThreadEnd;
    return;
  }
  if (is_deopt_pc(nmethod, pc)) {
    result.kind = CodeKind::kPatched;
    result.bytes = load<std::int32_t>(nmethod + layout_.orig_pc);
    return;
  }
  const Parts parts = parts_of(nmethod);
  const auto wanted = static_cast<std::int64_t>(pc - parts.code);
  std::size_t low = 0;
  std::size_t high = parts.pcs_end > parts.pcs ? (parts.pcs_end - parts.pcs) / sizeof(PcDesc) : 0;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    const auto desc = load<PcDesc>(parts.pcs + middle * sizeof(PcDesc));
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
  if (text_at(load<VmAddress>(nmethod + layout_.blob_name)) != "native nmethod") return;
  result.frames[result.count++] = {load<VmAddress>(nmethod + layout_.method), kNoBci};
  result.kind = CodeKind::kCompiled;
}

bool CompiledFrames::decode_scopes(const Parts& parts, std::int32_t scope,
                                   CompiledFrame& result) const {
  while (scope > 0) {
    if (result.count == CompiledFrame::kMostInlined) return false;
    ScopeReader numbers(parts.data + scope, parts.data_end, layout_.stream_base);
    const std::int32_t sender = numbers.next();
    const std::int32_t method = numbers.next();
    // -1: at the method's entry, before its first instruction.
    const std::int32_t bci = std::max(numbers.next() - 1, 0);
    if (!numbers.good() || method < 1) return false;
    const VmAddress at = parts.metadata + static_cast<VmAddress>(method - 1) * sizeof(VmAddress);
    if (at + sizeof(VmAddress) > parts.metadata_end) return false;
    result.frames[result.count++] = {load<VmAddress>(at), bci};
    // Senders are written before those that they inlined.
    if (sender >= scope) return false;
    scope = sender;
  }
  return scope == 0;
}

}  // namespace ddm
