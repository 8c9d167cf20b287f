// The live sampled allocations, by address.
//
// Lock-free, in memory mapped at once: it is used inside malloc and free, on any thread, in any
// state, and in a forked child. Freeing an unsampled block costs one may_hold(). An address is in the
// table at most once: the caller adds it after the allocation and removes it before the free.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/reserved_array.h"

namespace ddm {

struct JavaFrame {
  std::uintptr_t method = 0;  // a jmethodID
  std::int64_t bci = 0;
  friend auto operator<=>(const JavaFrame&, const JavaFrame&) = default;
};

inline constexpr std::size_t kMaxNativeFrames = 32;
inline constexpr std::size_t kMaxJavaFrames = 16;

struct AllocationSample {
  std::uint64_t bytes = 0;
  std::uint32_t native_frames = 0;
  std::uint32_t java_frames = 0;
  std::array<std::uintptr_t, kMaxNativeFrames> native;  // return addresses, innermost first
  std::array<JavaFrame, kMaxJavaFrames> java;
};

class SampleTable {
 public:
  using Record = std::uint32_t;
  static constexpr Record kNone = 0;

  // Null: no memory. `records`: capacity in samples, below 2^20.
  static std::unique_ptr<SampleTable> create(std::uint32_t records);

  // False: it is full, and the sample is counted as dropped.
  bool add(const void* address, const AllocationSample& sample) noexcept;

  bool may_hold(const void* address) const noexcept {
    return filter_[filter_index(hash(address))].load(std::memory_order_relaxed) != 0;
  }

  // Removes the address. The record is then the caller's, to be dropped or put back.
  Record take(const void* address) noexcept;
  void drop(Record record) noexcept;
  void put_back(const void* address, Record record) noexcept;
  // Removes all current entries, concurrently with other calls.
  void clear() noexcept;

  std::vector<AllocationSample> snapshot() const;
  std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  // All fields of a sample as words, so that a reader may race with a writer.
  static constexpr std::size_t kWords = 2 + kMaxNativeFrames + 2 * kMaxJavaFrames;
  struct Entry {
    std::atomic<std::uint32_t> version;  // odd while it is written
    std::atomic<std::uint32_t> next_free;
    std::array<std::atomic<std::uint64_t>, kWords> words;
  };
  // An address and its record in one word, so that both change atomically: malloc's addresses are
  // multiples of 8 below 2^47. 0: empty.
  using Slot = std::atomic<std::uint64_t>;
  static constexpr int kRecordBits = 20;
  static constexpr std::uint64_t kEmpty = 0;
  static constexpr std::size_t kProbes = 32;
  static constexpr std::size_t kFilterBits = 16;

  explicit SampleTable(std::uint32_t records)
      : records_(records),
        slot_mask_(std::bit_ceil(std::uint64_t{records} * 4) - 1),
        entries_(std::size_t{records} + 1),
        slots_(slot_mask_ + 1) {}

  static std::uint64_t hash(const void* address) {
    return (reinterpret_cast<std::uintptr_t>(address) >> 4) * 0x9e3779b97f4a7c15;
  }
  static std::uint64_t slot_of(const void* address, Record record) {
    return reinterpret_cast<std::uintptr_t>(address) >> 3 << kRecordBits | record;
  }
  static Record record_of(std::uint64_t slot) {
    return static_cast<Record>(slot & ((std::uint64_t{1} << kRecordBits) - 1));
  }
  static std::size_t filter_index(std::uint64_t hash) { return hash >> (64 - kFilterBits); }
  Slot& slot(std::uint64_t hash, std::size_t probe) {
    return slots_[((hash >> 20) + probe) & slot_mask_];
  }

  Record pop_free() noexcept;
  bool insert(const void* address, Record record) noexcept;
  void count_in_filter(std::uint64_t hash, bool up) noexcept;
  bool read(Record record, AllocationSample* sample) const;

  std::array<std::atomic<std::uint8_t>, std::size_t{1} << kFilterBits> filter_{};
  const std::uint32_t records_;
  const std::uint64_t slot_mask_;
  ReservedArray<Entry> entries_;  // [1, records_]
  ReservedArray<Slot> slots_;
  std::atomic<std::uint32_t> fresh_{1};      // entries from here on were never used
  std::atomic<std::uint64_t> free_list_{0};  // first entry; its upper half counts changes
  std::atomic<std::uint64_t> dropped_{0};
};

}  // namespace ddm
