// The collector's pauses, for native code that reads the heap's memory itself.
//
// Threads in native code run during a pause too, and a pause may move every object and unmap the
// page that one was on. Addresses are therefore used within a Reading only, and what was read is
// valid if the number of pauses is the same before and after. A pause begins by waiting for the
// readings that are in progress: each is a few loads, but its thread may have lost its processor in
// the middle of them. Any thread; begin() and end() by the VM thread, at a safepoint.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "core/reader_place.h"

namespace ddm {

class HeapPauses {
 public:
  // Odd during a pause. Two equal even numbers: there was no pause in between.
  std::uint64_t number() const { return number_.load(std::memory_order_acquire); }
  // The number of pauses.
  static std::uint32_t count(std::uint64_t number) {
    return static_cast<std::uint32_t>(number >> 1);
  }

  // No JNI or JVMTI call, lock or Reading within one: a pause waits for its end.
  class Reading {
   public:
    explicit Reading(const HeapPauses& pauses) noexcept
        : pauses_(pauses), place_(ReaderPlace::own()) {
      place_.publish(place_.in_heap, 1);
      number_ = pauses.number();
    }
    ~Reading() { place_.in_heap.store(0, std::memory_order_release); }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

    // At its begin. Odd: no address may be used.
    std::uint64_t number() const { return number_; }
    bool in_pause() const { return number_ % 2 != 0; }
    // No pause has begun since, not even to wait. Otherwise what was read is of no use.
    bool undisturbed() const {
      std::atomic_thread_fence(std::memory_order_acquire);
      return pauses_.number_.load(std::memory_order_relaxed) == number_;
    }

   private:
    const HeapPauses& pauses_;
    ReaderPlace& place_;
    std::uint64_t number_ = 0;
  };

  // A thread that has no processor for longer than this does not delay the pause any more.
  static constexpr std::chrono::milliseconds kPatience{50};

  void begin() noexcept;
  void end() noexcept { number_.store((number_.load() | 1) + 1); }

 private:
  std::atomic<std::uint64_t> number_{0};
};

}  // namespace ddm
