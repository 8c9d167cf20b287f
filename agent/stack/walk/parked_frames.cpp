#include "stack/walk/parked_frames.h"

#include <algorithm>

namespace ddm {
namespace {

constexpr std::int32_t kMostChunkWords = 1 << 24;
constexpr int kMostEmptyChunks = 64;

// From an interpreter's frame pointer, in words.
constexpr int kSenderSpWord = -1, kMethodWord = -3, kLocalsWord = -7, kBytecodeWord = -8;

}  // namespace

VmAddress ParkedFrames::reference_at(VmAddress at) const {
  if (layout_.objects.oop_bytes == sizeof(VmAddress)) return load<VmAddress>(at);
  const auto narrow = load<std::uint32_t>(at);
  return narrow == 0 ? 0 : layout_.oop_base + (VmAddress{narrow} << layout_.oop_shift);
}

bool ParkedFrames::is_object(VmAddress at, std::uint64_t key) const {
  return at != 0 && at % layout_.objects.alignment == 0 && key_at(layout_.objects, at) == key;
}

// Once a continuation was found at one offset, only that offset is used.
VmAddress ParkedFrames::continuation_of(const Reading& reading, VmAddress entry) const {
  const Offset known = entry_cont_.load(std::memory_order_relaxed);
  for (const Offset offset : layout_.entry_conts) {
    if (offset == kAbsent || (known != kAbsent && offset != known)) continue;
    const auto cont = load<VmAddress>(entry + static_cast<VmAddress>(offset));
    if (!reading.undisturbed()) return 0;
    if (known == kAbsent && !pages_.is_readable(cont, 64)) continue;
    if (!is_object(cont, layout_.cont_key)) continue;
    entry_cont_.store(offset, std::memory_order_relaxed);
    return cont;
  }
  return 0;
}

bool ParkedFrames::find(const Reading& reading, VmAddress java_thread, Run& run) const {
  if (reading.in_pause()) return false;
  run.pause = reading.number();
  const auto entry = load<VmAddress>(java_thread + static_cast<VmAddress>(layout_.cont_entry));
  if (entry == 0) return false;
  const VmAddress cont = continuation_of(reading, entry);
  if (cont == 0) return false;
  return find_in(reading, reference_at(cont + static_cast<VmAddress>(layout_.cont_tail)), run);
}

bool ParkedFrames::find_in(const Reading& reading, VmAddress chunk, Run& run) const {
  const auto number_at = [&](Offset field) { return load<std::int32_t>(chunk + field); };
  for (int i = 0; i < kMostEmptyChunks; ++i) {
    if (!reading.undisturbed()) return false;
    if (chunk == 0) {
      run.sp = run.end = run.parent = 0;
      return true;
    }
    if (!is_object(chunk, layout_.chunk_key)) return false;
    const std::int32_t sp = number_at(layout_.chunk_sp), size = number_at(layout_.chunk_size),
                       bottom = number_at(layout_.chunk_bottom);
    const VmAddress parent = reference_at(chunk + static_cast<VmAddress>(layout_.chunk_parent));
    if (!reading.undisturbed()) return false;
    if (sp < 0 || sp > bottom || bottom > size || size > kMostChunkWords) return false;
    if (sp < bottom) {
      if (sp < static_cast<std::int32_t>(kWordsBefore)) return false;
      const VmAddress words = chunk + static_cast<VmAddress>(layout_.chunk_stack);
      run.sp = words + static_cast<VmAddress>(sp) * sizeof(VmAddress);
      run.end = words + static_cast<VmAddress>(bottom) * sizeof(VmAddress);
      run.parent = parent;
      return true;
    }
    chunk = parent;
  }
  return false;
}

std::size_t ParkedFrames::copy(const Reading& reading, const Run& run,
                               std::span<VmAddress> to) const {
  const std::size_t count = std::min(run.words() + kWordsBefore, to.size());
  const VmAddress from = run.sp - kWordsBefore * sizeof(VmAddress);
  for (std::size_t i = 0; i < count; ++i) to[i] = load<VmAddress>(from + i * sizeof(VmAddress));
  return reading.undisturbed() ? count : 0;
}

ParkedWalk::ParkedWalk(const VmLayout& layout, std::span<const VmAddress> words,
                       std::size_t run_words)
    : layout_(layout), words_(words), end_(ParkedFrames::kWordsBefore + run_words) {
  if (run_words == 0) {
    sp_ = end_;
  } else {
    move_to(ParkedFrames::kWordsBefore, ParkedFrames::kWordsBefore);
  }
}

VmAddress ParkedWalk::word(std::size_t at) {
  if (at >= words_.size()) {
    odd();
    return 0;
  }
  if (decisive_count_ < kMostDecisive) {
    decisive_[decisive_count_++] = static_cast<std::uint16_t>(at);
  } else {
    too_many_ = true;
  }
  return words_[at];
}

bool ParkedWalk::move_to(std::size_t sp, std::size_t unextended_sp) {
  sp_ = sp;
  unextended_sp_ = unextended_sp;
  unpatched_ = false;
  pc_ = word(sp - 1);
  return good_;
}

bool ParkedWalk::leave(CodeKind kind, std::int32_t bytes) {
  constexpr std::int32_t kWordBytes = sizeof(VmAddress);
  if (bytes < 0 || bytes % kWordBytes != 0) return odd();
  const std::size_t at = unextended_sp_ + static_cast<std::size_t>(bytes / kWordBytes);
  if (kind == CodeKind::kPatched) {
    if (unpatched_) return odd();
    unpatched_ = true;
    pc_ = word(at);
    return good_;
  }
  if (at <= sp_) return odd();
  // No frame begins in the last two words, which are those below the caller's sp.
  if (at + ParkedFrames::kWordsBefore >= end_) {
    sp_ = end_;
    return true;
  }
  return move_to(at, at);
}

bool ParkedWalk::read_interpreted(VmAddress& method, VmAddress& bytecode) {
  fp_ = sp_ - 2 + word(sp_ - 2);
  if (!good_ || fp_ < sp_ || fp_ >= end_ || fp_ < static_cast<std::size_t>(-kBytecodeWord)) {
    return odd();
  }
  method = word(fp_ + static_cast<std::size_t>(kMethodWord));
  bytecode = word(fp_ + static_cast<std::size_t>(kBytecodeWord));
  return good_;
}

bool ParkedWalk::leave_interpreted() {
  // The frame extends to its last local variable.
  const std::size_t last_local = relative(kLocalsWord);
  if (!good_) return false;
  if (last_local + 1 >= end_ && last_local < 2 * end_) {
    sp_ = end_;
    return true;
  }
  const std::size_t unextended_sp = relative(kSenderSpWord);
  const std::size_t sp = fp_ + 2;
  if (!good_ || last_local >= end_ || sp >= end_ ||
      unextended_sp + ParkedFrames::kWordsBefore < sp || unextended_sp >= end_) {
    return odd();
  }
  return move_to(sp, unextended_sp);
}

}  // namespace ddm
