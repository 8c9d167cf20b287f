// A thread's own cache of code addresses met by its recent walks: a subset of FrameCache, small
// enough for the processor's cache.
//
// A thread allocates at a few hundred places repeatedly. Entries are valid within one epoch:
// classes, and from JDK 20 on code, are freed in GC pauses only. Before JDK 20 the caller must
// revalidate the nmethod, and always the bytecode's method.
//
// One table per thread, reserved at its first walk: 8 KiB, growing up to 128 as needed, beside the
// thread's trails. Each thread accesses only its own.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/reserved_array.h"
#include "stack/shown_frame.h"
#include "stack/walk/frame_cache.h"
#include "stack/walk/parked_trails.h"
#include "stack/walk/stack_trail.h"

namespace ddm {

class KnownPlaces {
 public:
  // Places with more inlined frames are only in FrameCache. For most, only the first 64 bytes are
  // read.
  static constexpr std::size_t kFrames = FrameCache::kFramesOfPart;

  struct alignas(64) Known {
    std::uint64_t key = 0;      // the place and the epoch's number; 0: empty
    VmAddress identity_at = 0;  // like FrameCache::Identity, with identity
    std::uint64_t identity = 0;
    std::int32_t bytes = 0;
    CodeKind kind = CodeKind::kOdd;
    std::uint8_t count = 0;
    std::array<ShownFrame, kFrames> frames;

    std::span<const ShownFrame> shown() const { return {frames.data(), count}; }
  };
  static_assert(sizeof(Known) == 128);

  // Entries are valid within one epoch.
  struct Epoch {
    std::uint32_t names = 0;   // SeenMethods::generation()
    std::uint32_t pauses = 0;  // of the collector
    friend bool operator==(const Epoch&, const Epoch&) = default;
  };

  // The calling thread's table, emptied if it is of another epoch. Null: no memory.
  static KnownPlaces* of_this_thread(Epoch epoch) {
    KnownPlaces* const places = t_places;
    if (places == nullptr) [[unlikely]]
      return make(epoch);
    if (places->epoch_ != epoch) [[unlikely]]
      places->begin(epoch);
    return places;
  }

  // A return address, or a bytecode pointer; null: unknown.
  const Known* find(VmAddress place) const {
    const Known& known = tables_[0].known[slot_of(place)];
    return known.key == key_of(place) ? &known : nullptr;
  }
  // Replaces another entry.
  const Known* insert(VmAddress place, const FrameCache::Identity& code,
                      const FrameCache::Entry& entry) {
    Known& known = slot_for(place);
    known.identity_at = code.at;
    known.identity = code.value;
    known.bytes = entry.bytes;
    known.kind = entry.kind;
    known.count = static_cast<std::uint8_t>(entry.count);
    std::copy_n(entry.frames.begin(), entry.count, known.frames.begin());
    return &known;
  }
  void insert(VmAddress place, const FrameCache::Identity& method, ShownFrame frame) {
    Known& known = slot_for(place);
    known.identity_at = method.at;
    known.identity = method.value;
    known.bytes = 0;
    known.kind = CodeKind::kCompiled;
    known.count = 1;
    known.frames[0] = frame;
  }

  StackTrail& trail() { return trail_; }
  ParkedTrails& parked() { return tables_[0].parked; }
  std::size_t size() const { return std::size_t{1} << (64 - shift_); }

 private:
  static constexpr unsigned kAddressBits = 48;
  static constexpr unsigned kFirstBits = 6, kMostBits = 10;  // bits of a slot index
  static constexpr std::size_t kMost = std::size_t{1} << kMostBits;
  static constexpr std::uint64_t kMostNumber = (1u << (64 - kAddressBits)) - 1;

  // Zeroed memory is empty entries.
  struct Tables {
    std::array<Known, kMost> known;
    ParkedTrails parked;
  };

  explicit KnownPlaces(Epoch epoch) : epoch_(epoch) {}

  static KnownPlaces* make(Epoch epoch);
  void begin(Epoch epoch);
  void widen();

  std::uint64_t key_of(VmAddress place) const { return place | number_ << kAddressBits; }
  std::size_t slot_of(VmAddress place) const {
    return static_cast<std::size_t>((place * 0x9E3779B97F4A7C15ull) >> shift_);
  }
  Known& slot_for(VmAddress place) {
    const Known& known = tables_[0].known[slot_of(place)];
    const bool other = known.key != key_of(place) && known.key >> kAddressBits == number_;
    if (other && ++replaced_ > size()) [[unlikely]]
      widen();
    Known& slot = tables_[0].known[slot_of(place)];
    slot.key = key_of(place);
    return slot;
  }

  StackTrail trail_;
  ReservedArray<Tables> tables_{1};
  Epoch epoch_;
  std::uint64_t number_ = 1;  // of the epoch
  unsigned shift_ = 64 - kFirstBits;
  std::size_t replaced_ = 0;  // entries of this epoch replaced since the last growth

  static constinit thread_local KnownPlaces* t_places;
};

}  // namespace ddm
