// What a thread found when it last walked frames that lay in the heap (parked_frames.h): the words
// that decided, counted from the innermost frame, and the frames. Where the same words stand in
// the same places of a run of the same length, the frames are the same, whatever virtual thread's
// they are.
//
// Good for as long as code and names stay what they are: who owns it calls clear(). Each thread has
// some of its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "stack/shown_frame.h"
#include "stack/walk/parked_frames.h"

namespace ddm {

class ParkedTrails {
 public:
  ParkedTrails() { clear(); }
  void clear() { pcs_ = {}; }

  // Of a run that is not empty. What is found counts if the run is undisturbed afterwards.
  struct Found {
    std::span<const ShownFrame> frames;
    bool good = false;  // false: nothing is known of it
  };
  Found find(const ParkedFrames::Run& run) const;

  // Where a run is copied to, its frames are gathered, and both are kept for the next time.
  std::span<VmAddress> room() { return room_; }
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
  // Of a run that was walked to its end.
  void keep(const ParkedFrames::Run& run, const ParkedWalk& walked);

 private:
  static constexpr std::size_t kTrails = 8, kFrames = 80, kRoom = 4096;

  struct Word {
    std::uint32_t at;  // in bytes, from the first word before sp
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

  std::array<VmAddress, kTrails> pcs_;  // 0: none. All else takes memory only where it is used.
  std::size_t gathered_count_ = 0;
  bool overflown_ = false;
  std::array<ShownFrame, kFrames> gathered_;
  std::array<Trail, kTrails> trails_;
  std::array<VmAddress, kRoom> room_;
};

}  // namespace ddm
