// What a thread's last walks found out about places in code: what FrameCache has of all threads and
// all code, in a table so small that it stays in the processor's cache.
//
// A thread allocates at a few hundred places again and again. What a place means holds within one
// epoch: classes, and from JDK 20 on code, are given back in pauses of the collector only. The caller
// looks whether code is the same where that is not so, and whose bytecode it is.
//
// One table a thread, reserved when the thread is first walked: 8 KiB, more as a thread is found to
// have more places, up to 128. Each thread uses its own only.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "stack/shown_frame.h"
#include "stack/walk/frame_cache.h"
#include "stack/walk/parked_trails.h"
#include "stack/walk/stack_trail.h"

namespace ddm {

class KnownPlaces {
 public:
  // Places with more inlined are FrameCache's alone. Of most only the first 64 bytes are looked at.
  static constexpr std::size_t kFrames = FrameCache::kFramesOfPart;

  struct alignas(64) Known {
    std::uint64_t key = 0;      // the place and the epoch's number; 0: none
    VmAddress identity_at = 0;  // with identity as in FrameCache::Identity
    std::uint64_t identity = 0;
    std::int32_t bytes = 0;
    CodeKind kind = CodeKind::kOdd;
    std::uint8_t count = 0;
    std::array<ShownFrame, kFrames> frames;

    std::span<const ShownFrame> shown() const { return {frames.data(), count}; }
  };
  static_assert(sizeof(Known) == 128);

  // What is kept holds within one epoch only.
  struct Epoch {
    std::uint32_t names = 0;   // FrameNames::generation()
    std::uint32_t pauses = 0;  // of the collector
    friend bool operator==(const Epoch&, const Epoch&) = default;
  };

  // The calling thread's table, empty when it is of another epoch. Null: no memory, or the thread
  // is at its end.
  static KnownPlaces* of_this_thread(Epoch epoch) {
    KnownPlaces* const places = t_places;
    if (places == nullptr) [[unlikely]]
      return make(epoch);
    if (places->epoch_ != epoch) [[unlikely]]
      places->begin(epoch);
    return places;
  }

  // A return address, or a place in bytecode; null: not known.
  const Known* find(VmAddress place) const {
    const Known& known = table_[slot_of(place)];
    return known.key == key_of(place) ? &known : nullptr;
  }
  // In the room of another.
  const Known* keep(VmAddress place, const FrameCache::Identity& code,
                    const FrameCache::Entry& entry) {
    Known& known = room_for(place);
    known.identity_at = code.at;
    known.identity = code.value;
    known.bytes = entry.bytes;
    known.kind = entry.kind;
    known.count = static_cast<std::uint8_t>(entry.count);
    std::copy_n(entry.frames.begin(), entry.count, known.frames.begin());
    return &known;
  }
  void keep(VmAddress place, const FrameCache::Identity& method, ShownFrame frame) {
    Known& known = room_for(place);
    known.identity_at = method.at;
    known.identity = method.value;
    known.bytes = 0;
    known.kind = CodeKind::kCompiled;
    known.count = 1;
    known.frames[0] = frame;
  }

  StackTrail& trail() { return *trail_; }
  ParkedTrails& parked() { return *parked_; }
  std::size_t size() const { return std::size_t{1} << (64 - shift_); }

 private:
  static constexpr unsigned kAddressBits = 48;
  static constexpr unsigned kFirstBits = 6, kMostBits = 10;  // of a slot's number
  static constexpr std::size_t kTrailBytes = (sizeof(StackTrail) + 63) / 64 * 64;
  static constexpr std::size_t kMost = std::size_t{1} << kMostBits;
  static constexpr std::size_t kTableBytes = kMost * sizeof(Known);
  static constexpr std::size_t kBytes = kTrailBytes + kTableBytes + sizeof(ParkedTrails);
  static constexpr std::uint64_t kMostNumber = (1u << (64 - kAddressBits)) - 1;

  // All lie in one mapping, the trail first.
  KnownPlaces(StackTrail* trail, Known* table, ParkedTrails* parked, Epoch epoch)
      : trail_(trail), table_(table), parked_(parked), epoch_(epoch) {}
  ~KnownPlaces();
  KnownPlaces(const KnownPlaces&) = delete;
  KnownPlaces& operator=(const KnownPlaces&) = delete;

  static KnownPlaces* make(Epoch epoch);
  void begin(Epoch epoch);
  void widen();

  std::uint64_t key_of(VmAddress place) const { return place | number_ << kAddressBits; }
  std::size_t slot_of(VmAddress place) const {
    return static_cast<std::size_t>((place * 0x9E3779B97F4A7C15ull) >> shift_);
  }
  Known& room_for(VmAddress place) {
    Known& known = table_[slot_of(place)];
    const bool other = known.key != key_of(place) && known.key >> kAddressBits == number_;
    if (other && ++replaced_ > size()) [[unlikely]]
      widen();
    Known& room = table_[slot_of(place)];
    room.key = key_of(place);
    return room;
  }

  StackTrail* const trail_;
  Known* const table_;
  ParkedTrails* const parked_;
  Epoch epoch_;
  std::uint64_t number_ = 1;  // of the epoch
  unsigned shift_ = 64 - kFirstBits;
  std::size_t replaced_ = 0;  // others of this epoch, since it is that wide

  // No destructors of their own: a thread may still allocate after its thread_local objects are gone.
  static constinit thread_local KnownPlaces* t_places;
  static constinit thread_local bool t_ended;
  struct Owner;
};

}  // namespace ddm
