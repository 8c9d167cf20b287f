// The frames that a thread's last stacks had, by where on its stack they stood.
//
// From one allocation to the next most of a thread's stack stays as it is. What stands where it
// stood before, with the same place in code, means the same: one line of memory that this thread
// read just now, instead of the lines of FrameCache, which all threads and all code share. The
// caller still reads every frame from the stack and looks whether its code is the same.
//
// One table a thread, reserved when the thread is first walked: what lies within 16 KiB of stack
// has a place each, and memory is used as the stack gets deeper, 64 KiB at most. Each thread uses
// its own only.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "stack/shown_frame.h"
#include "stack/walk/frame_cache.h"
#include "stack/walk/parked_trails.h"
#include "stack/walk/stack_trail.h"

namespace ddm {

class FramePositions {
 public:
  static constexpr std::size_t kFrames = 3;  // frames with more inlined are FrameCache's alone

  struct alignas(64) Position {
    Position() = default;
    Position(std::uint64_t its_key, VmAddress pc, FrameCache::Identity code,
             const FrameCache::Entry& entry)
        : key(its_key),
          place(pc),
          identity_at(code.at),
          identity(code.value),
          bytes(entry.bytes),
          kind(entry.kind),
          count(static_cast<std::uint8_t>(entry.count)) {
      std::copy_n(entry.frames.begin(), entry.count, frames.begin());
    }
    Position(std::uint64_t its_key, VmAddress bytecode, FrameCache::Identity method,
             ShownFrame frame)
        : key(its_key),
          place(bytecode),
          identity_at(method.at),
          identity(method.value),
          kind(CodeKind::kCompiled),
          count(1) {
      frames[0] = frame;
    }

    std::uint64_t key = 0;      // sp and the epoch's number, see key_of(); 0: none
    VmAddress place = 0;        // return address, or bytecode pointer
    VmAddress identity_at = 0;  // with identity as in FrameCache::Identity
    std::uint64_t identity = 0;
    std::int32_t bytes = 0;
    CodeKind kind = CodeKind::kOdd;
    std::uint8_t count = 0;
    std::array<ShownFrame, kFrames> frames;
  };
  static_assert(sizeof(Position) == 64);

  // What is kept holds within one epoch only.
  struct Epoch {
    std::uint32_t names = 0;   // FrameNames::generation()
    std::uint32_t pauses = 0;  // of the collector
    friend bool operator==(const Epoch&, const Epoch&) = default;
  };

  // The calling thread's table, empty when it is of another epoch. Null: no memory, or the thread
  // is at its end.
  static FramePositions* of_this_thread(Epoch epoch) {
    FramePositions* const positions = t_positions;
    if (positions == nullptr) [[unlikely]]
      return make(epoch);
    if (positions->epoch_ != epoch) [[unlikely]]
      positions->begin(epoch);
    return positions;
  }

  Position& at(VmAddress sp) { return positions_[sp / kApart % kPositions]; }
  StackTrail& trail() { return *trail_; }
  ParkedTrails& parked() { return *parked_; }
  // What a position has that is of this stack pointer and of now.
  std::uint64_t key_of(VmAddress sp) const { return sp | number_ << kAddressBits; }

 private:
  static constexpr std::size_t kPositions = 1024;
  static constexpr VmAddress kApart = 16;  // bytes from frame to frame at least
  static constexpr unsigned kAddressBits = 48;
  static constexpr std::size_t kTrailBytes = (sizeof(StackTrail) + 63) / 64 * 64;
  static constexpr std::size_t kPositionsBytes = kPositions * sizeof(Position);
  static constexpr std::size_t kBytes = kTrailBytes + kPositionsBytes + sizeof(ParkedTrails);
  static constexpr std::uint64_t kMostNumber = (1u << (64 - kAddressBits)) - 1;

  // All lie in one mapping, the trail first.
  FramePositions(StackTrail* trail, Position* positions, ParkedTrails* parked, Epoch epoch)
      : trail_(trail), positions_(positions), parked_(parked), epoch_(epoch) {}
  ~FramePositions();
  FramePositions(const FramePositions&) = delete;
  FramePositions& operator=(const FramePositions&) = delete;

  static FramePositions* make(Epoch epoch);
  void begin(Epoch epoch);

  StackTrail* const trail_;
  Position* const positions_;
  ParkedTrails* const parked_;
  Epoch epoch_;
  std::uint64_t number_ = 1;  // of the epoch

  // No destructors of their own: a thread may still allocate after its thread_local objects are gone.
  static constinit thread_local FramePositions* t_positions;
  static constinit thread_local bool t_ended;
  struct Owner;
};

}  // namespace ddm
