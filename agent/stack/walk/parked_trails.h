// A thread's cache of walks over frames in the heap (parked_frames.h): the words that determined a
// walk, relative to the innermost frame, and its frames. A run of equal length with equal words at
// these positions has equal frames, whichever virtual thread it belongs to.
//
// Valid while code and names are unchanged: the owner calls clear(). Each thread has its own.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "stack/shown_frame.h"
#include "stack/walk/parked_frames.h"

namespace ddm {

class ParkedTrails {
 public:
  ParkedTrails() : pcs_() {}
  // Commits no memory where nothing was stored.
  void clear() {
    for (VmAddress& pc : pcs_) {
      if (pc != 0) pc = 0;
    }
  }

  // For a non-empty run, within its Reading; valid if that is undisturbed afterwards.
  std::optional<std::span<const ShownFrame>> find(const ParkedFrames::Run& run) const {
    const VmAddress pc = pc_of(run);
    const Trail& trail = trails_[place_of(pc)];
    if (pc == 0 || pcs_[place_of(pc)] != pc || trail.run_words != run.words()) return {};
    const VmAddress from = run.sp - ParkedFrames::kWordsBefore * sizeof(VmAddress);
    for (std::size_t i = 0; i < trail.words; ++i) {
      if (load<VmAddress>(from + trail.word[i].at) != trail.word[i].value) return {};
    }
    return std::span(trail.frame.data(), trail.frames);
  }

  // Buffers for the copy of a run and for its frames, which insert() stores.
  std::span<VmAddress> buffer() { return buffer_; }
  void begin() {
    gathered_count_ = 0;
    overflown_ = false;
  }
  void gather(ShownFrame frame) {
    if (gathered_count_ == kFrames) {
      overflown_ = true;
    } else {
      gathered_[gathered_count_++] = frame;
    }
  }
  bool overflown() const { return overflown_; }
  // Stores a run that was walked to its end.
  void insert(const ParkedFrames::Run& run, const ParkedWalk& walked) {
    if (overflown_ || walked.too_many()) return;
    const VmAddress pc = buffer_[ParkedFrames::kWordsBefore - 1];
    Trail& trail = trails_[place_of(pc)];
    pcs_[place_of(pc)] = pc;
    trail.run_words = run.words();
    trail.words = trail.frames = 0;
    for (const std::uint16_t at : walked.decisive()) {
      trail.word[trail.words++] = {static_cast<std::uint32_t>(at * sizeof(VmAddress)), buffer_[at]};
    }
    trail.frames = gathered_count_;
    std::copy_n(gathered_.begin(), gathered_count_, trail.frame.begin());
  }

 private:
  static constexpr std::size_t kTrails = 8, kFrames = 80, kBufferWords = 4096;

  struct Word {
    std::uint32_t at;  // byte offset from the first word before sp
    VmAddress value;
  };
  struct Trail {
    std::size_t run_words, words, frames;
    std::array<Word, ParkedWalk::kMostDecisive> word;
    std::array<ShownFrame, kFrames> frame;
  };
  static VmAddress pc_of(const ParkedFrames::Run& run) {
    return load<VmAddress>(run.sp - sizeof(VmAddress));
  }
  static std::size_t place_of(VmAddress pc) { return (pc * 0x9E3779B97F4A7C15ull) >> 61; }

  std::array<VmAddress, kTrails> pcs_;  // 0: none. Other memory is committed on use only.
  std::size_t gathered_count_ = 0;
  bool overflown_ = false;
  std::array<ShownFrame, kFrames> gathered_;
  std::array<Trail, kTrails> trails_;
  std::array<VmAddress, kBufferWords> buffer_;
};

}  // namespace ddm
