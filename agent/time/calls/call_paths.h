// Small numbers for the ways that calls go: a method, and the methods that are timed and called it.
//
// (caller's path, method) -> path, without a lock for who meets a known one. The numbers below
// MethodNumbers::kMost are those of methods themselves: a call that no timed method has made. Memory
// is bounded: of a chain of kMostDepth callers the innermost kKeptDepth go on, so that a recursion
// comes to an end of new paths, and once there are kMostPaths a call is counted without its callers.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "core/reserved_array.h"
#include "time/calls/method_numbers.h"

namespace ddm {

using PathNumber = std::uint32_t;
inline constexpr PathNumber kNoPath = ~PathNumber{0};

class CallPaths {
 public:
  static constexpr std::uint32_t kMostPaths = 1u << 16;
  static constexpr PathNumber kMost = MethodNumbers::kMost + kMostPaths;
  static constexpr std::uint32_t kMostDepth = 64, kKeptDepth = 16;

  // Null: no memory.
  static std::unique_ptr<CallPaths> create();

  // `caller`: kNoPath, there is none. Any thread.
  PathNumber number_of(PathNumber caller, MethodNumber method) noexcept {
    if (caller == kNoPath) return method;
    const std::uint64_t key = std::uint64_t{caller} << kMethodBits | method;
    for (std::size_t i = slot_of(key);; i = (i + 1) % kSlots) {
      const std::uint64_t there = slots_[i].load(std::memory_order_acquire);
      if (there >> kPathBits == key && there != 0) [[likely]]
        return MethodNumbers::kMost + static_cast<PathNumber>(there & kPathMask) - 1;
      if (there == 0) return new_number(caller, method);
    }
  }

  MethodNumber method_of(PathNumber path) const;
  // kNoPath: it has none, or none was kept.
  PathNumber caller_of(PathNumber path) const;

 private:
  // A slot: caller, method, and the number of the path among those of paths, plus one.
  static constexpr int kPathBits = 17, kMethodBits = 19;
  static constexpr std::uint64_t kPathMask = (std::uint64_t{1} << kPathBits) - 1;
  static constexpr std::size_t kSlots = std::size_t{1} << 18;
  static_assert(MethodNumbers::kMost == 1u << kMethodBits);

  struct Path {
    PathNumber caller = kNoPath;
    MethodNumber method = 0;
    std::uint32_t depth = 0;
  };

  CallPaths();
  static std::size_t slot_of(std::uint64_t key) noexcept {
    return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15u) >> 46);
  }
  PathNumber new_number(PathNumber caller, MethodNumber method) noexcept;
  PathNumber add(PathNumber caller, MethodNumber method);
  PathNumber find(PathNumber caller, MethodNumber method) const;
  void put(PathNumber caller, MethodNumber method, PathNumber number);
  std::uint32_t depth_of(PathNumber path) const;

  ReservedArray<std::atomic<std::uint64_t>> slots_;
  ReservedArray<Path> paths_;
  std::mutex mutex_;  // of who adds
  std::uint32_t count_ = 0;
  std::uint32_t edges_ = 0;
  std::atomic<bool> full_{false};
};

}  // namespace ddm
