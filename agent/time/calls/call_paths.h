// Interns call paths: a method together with the timed methods that called it.
//
// (caller's path, method) -> path number; lock-free for known paths. Numbers below
// MethodNumbers::kMost are the methods' own: calls without a timed caller. Memory is bounded: of a
// chain of kMostDepth callers only the innermost kKeptDepth are kept, so a recursion stops creating
// paths, and after kMostPaths paths calls are counted without their callers.
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

  // Null: out of memory.
  static std::unique_ptr<CallPaths> create();

  // `caller`: kNoPath if there is none. Any thread.
  PathNumber number_of(PathNumber caller, MethodNumber method) noexcept {
    if (caller == kNoPath) return method;
    const PathNumber found = find(caller, method);
    return found != kNoPath ? found : new_number(caller, method);
  }

  // Further paths have no callers.
  bool full() const { return full_.load(std::memory_order_relaxed); }

  MethodNumber method_of(PathNumber path) const { return at(path).method; }
  // kNoPath: there is no caller, or it was dropped.
  PathNumber caller_of(PathNumber path) const { return at(path).caller; }

 private:
  // A slot: caller, method, and the path's index plus one.
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
  // kNoPath: it is not there.
  PathNumber find(PathNumber caller, MethodNumber method) const noexcept {
    const std::uint64_t key = std::uint64_t{caller} << kMethodBits | method;
    for (std::size_t i = slot_of(key);; i = (i + 1) % kSlots) {
      const std::uint64_t there = slots_[i].load(std::memory_order_acquire);
      if (there >> kPathBits == key && there != 0) [[likely]]
        return MethodNumbers::kMost + static_cast<PathNumber>(there & kPathMask) - 1;
      if (there == 0) return kNoPath;
    }
  }
  void put(PathNumber caller, MethodNumber method, PathNumber number);
  Path at(PathNumber path) const {
    return path < MethodNumbers::kMost ? Path{kNoPath, path, 1}
                                       : paths_[path - MethodNumbers::kMost];
  }

  ReservedArray<std::atomic<std::uint64_t>> slots_;
  ReservedArray<Path> paths_;
  std::mutex mutex_;  // held while inserting
  std::uint32_t count_ = 0;
  std::uint32_t edges_ = 0;
  std::atomic<bool> full_{false};
};

}  // namespace ddm
