// Caches the decoded frames of code addresses, so that a later walk needs no decoding, no names and
// no lock.
//
// A place is a return address in compiled code or a bytecode pointer in interpreted code. Either
// may denote something else once its code was freed, so every entry has an identity that the reader
// revalidates: an nmethod's current compile id, or the version of a method.
//
// A slot is written under a lock of its own (a sequence number that is odd meanwhile); a thread
// that finds it locked does not use it. Frames that do not fit continue in the entry of the next
// part. Fixed size, 4 MiB. Any thread.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/reserved_array.h"
#include "stack/shown_frame.h"
#include "stack/walk/compiled_frames.h"

namespace ddm {

class FrameCache {
 public:
  static constexpr std::size_t kFramesOfPart = 11;
  static constexpr unsigned kParts = 8;

  struct Entry {
    CodeKind kind = CodeKind::kOdd;
    bool more = false;  // continued in the next part
    std::size_t count = 0;
    std::int32_t bytes = 0;  // size of the frame; kPatched: offset of its original pc
    std::array<ShownFrame, kFramesOfPart> frames;
  };

  // For an nmethod: the address of its compile id, and the id. For code that is never freed: 0, 0.
  // For interpreted code: the Method* and its version's identity.
  struct Identity {
    VmAddress at = 0;
    std::uint64_t value = 0;
  };

  // A byte, at a distance from an nmethod's compile id, that tells whether the nmethod is in use: a
  // freed one keeps its compile id, and another may occupy its end.
  struct Alive {
    std::int64_t at = 0;
    std::uint8_t least = 1, most = 1;
  };
  static Alive alive_of(const VmLayout& layout) {
    return {layout.alive - layout.compile_id, layout.alive_least, layout.alive_most};
  }

  // The compile id and that byte are within this many bytes: while these are unchanged, so is the
  // code.
  static constexpr std::int64_t kStampBytes = 16;
  bool has_stamps() const {
    return std::max<std::int64_t>(alive_.at + 1, sizeof(std::uint32_t)) - stamp_offset() <=
           kStampBytes;
  }
  // Relative to the compile id.
  std::int64_t stamp_offset() const { return std::min<std::int64_t>(alive_.at, 0); }

  // `generation` is incremented when all earlier entries become invalid.
  FrameCache(const std::atomic<std::uint32_t>& generation, Alive alive);

  // False: unknown, or no longer valid.
  bool find_compiled(VmAddress pc, unsigned part, Entry& entry, Identity& identity) const {
    return find(pc, part, entry, identity) && is_current(identity);
  }
  // Whether that compiled code is still there.
  bool is_current(const Identity& code) const {
    if (code.at == 0) return true;
    const auto alive = load<std::uint8_t>(code.at + static_cast<VmAddress>(alive_.at));
    return load<std::uint32_t>(code.at) == code.value && alive >= alive_.least &&
           alive <= alive_.most;
  }
  // Any place. That of an interpreted frame (part 0) is valid if `identity` is that of its method.
  bool find(VmAddress place, unsigned part, Entry& entry, Identity& identity) const {
    if (!slots_.good()) return false;
    const std::uint64_t key = key_of(place, part);
    const std::size_t first = first_slot(key);  // the other one is its neighbour
    return read(slots_[first], key, entry, identity) ||
           read(slots_[first ^ 1], key, entry, identity);
  }

  // `generation`: its value before the entry was decoded.
  void insert(VmAddress place, unsigned part, Identity identity, const Entry& entry,
              std::uint32_t generation);

 private:
  struct alignas(64) Slot {
    std::atomic<std::uint32_t> sequence{0};  // odd: being written
    std::atomic<std::uint32_t> shape{0};     // kind, more, count: a byte each
    std::atomic<std::uint64_t> key{0};
    std::atomic<VmAddress> identity_at{0};
    std::atomic<std::uint64_t> identity{0};
    std::atomic<std::int32_t> bytes{0};
    std::atomic<std::uint32_t> generation{0};
    std::array<std::atomic<std::uint64_t>, kFramesOfPart> frames{};
  };
  static_assert(sizeof(Slot) == 128);

  static constexpr std::size_t kSlots = 1 << 15;

  static std::uint64_t key_of(VmAddress place, unsigned part) { return place * kParts + part; }
  static std::size_t first_slot(std::uint64_t key) {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15ull) >> 49);
  }

  bool read(const Slot& slot, std::uint64_t key, Entry& entry, Identity& identity) const {
    // Acquire loads keep the reads in this order, and the last sequence check after them.
    const std::uint32_t sequence = slot.sequence.load(std::memory_order_acquire);
    if (slot.key.load(std::memory_order_acquire) != key) return false;
    const std::uint32_t shape = slot.shape.load(std::memory_order_acquire);
    identity.at = slot.identity_at.load(std::memory_order_acquire);
    identity.value = slot.identity.load(std::memory_order_acquire);
    entry.kind = static_cast<CodeKind>(shape & 0xff);
    entry.more = (shape >> 8 & 0xff) != 0;
    entry.count = shape >> 16 & 0xf;
    entry.bytes = slot.bytes.load(std::memory_order_acquire);
    const std::uint32_t generation = slot.generation.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < entry.count; ++i) {
      entry.frames[i] = ShownFrame::from_bits(slot.frames[i].load(std::memory_order_acquire));
    }
    return sequence % 2 == 0 && slot.sequence.load(std::memory_order_relaxed) == sequence &&
           generation == generation_.load(std::memory_order_relaxed);
  }

  const std::atomic<std::uint32_t>& generation_;
  const Alive alive_;
  ReservedArray<Slot> slots_;  // not good(): no memory, nothing is cached
};

}  // namespace ddm
