// The counters and timers that patched code adds to.
//
// The cells are Java arrays of java.lang.DdmTrackerSinks, so that the JIT inlines a count; this
// class hands out cell numbers and reads the cells. A number that is given back is reused as late
// as possible, since active frames of the old code may still count with it. Any attached thread;
// taking, giving back and reading run Java methods of that class.
#pragma once

#include <jni.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace ddm {

// The threads whose hits a cell counts: all, or those of choose_threads().
enum class CountedThreads { kAll, kChosen };

class SinkCells {
 public:
  static constexpr std::int32_t kCells = 512 * 256;

  SinkCells();

  // The number, for the sinks (sinks.h), of a zeroed cell; -1: all cells are in use.
  std::int32_t take_counter(CountedThreads threads = CountedThreads::kAll) {
    return take(threads == CountedThreads::kAll ? counters_ : chosen_counters_);
  }
  std::int32_t take_timer(CountedThreads threads = CountedThreads::kAll) {
    return take(threads == CountedThreads::kAll ? timers_ : chosen_timers_);
  }
  void give_back(std::int32_t cell);
  // The platform threads with these ids, or all but these; at first all. On a virtual thread its
  // carrier's id decides.
  void choose_threads(JNIEnv* jni, std::vector<std::int64_t> ids, bool all_but_these);

  // The values by cell number, up to the last chunk handed out; zero if reading fails.
  std::vector<std::int64_t> read(JNIEnv* jni);
  // Whether open() of that cell calls the receiver (sinks_class.h); initially it does not.
  void want_values(JNIEnv* jni, std::int32_t cell, bool wanted) const;
  // Releases the cells of threads that have ended; to be called periodically.
  void forget_threads(JNIEnv* jni);

  // The native: for threads that have no cells of their own.
  void share(std::int32_t cell, std::int64_t more) noexcept;
  // By SinksClass.
  void bind(JNIEnv* jni, jclass sinks);

 private:
  static constexpr std::int32_t kChunk = 256;
  // Cells that were given back are reused once there are so many of a kind: 8,192 counters or 256
  // timers.
  static constexpr std::int32_t kRested = 64 * kChunk;
  // A chunk holds only counters or only timers.
  struct Free {
    const std::int32_t size;
    const bool chosen = false;  // they count hits of chosen threads
    std::vector<std::int32_t> fresh = {};
    std::deque<std::int32_t> used = {};
  };
  std::int32_t take(Free& free);
  void publish_choice(JNIEnv* jni);
  void clear(std::int32_t first, std::int32_t count);
  JNIEnv* environment() const;

  std::mutex mutex_;  // of these
  Free counters_{2}, timers_{64}, chosen_counters_{2, true}, chosen_timers_{64, true};
  std::array<Free*, kCells / kChunk> chunks_{};  // whose each is; null: not handed out yet
  std::vector<jlong> choice_{1};                 // as the sinks have it
  std::int32_t next_chunk_ = 0;
  std::int32_t taken_ = 0;
  std::mutex reading_;         // of these
  jlongArray sums_ = nullptr;  // a global reference
  std::int32_t sums_length_ = 0;
  std::unique_ptr<std::atomic<std::int64_t>[]> shared_;  // of kCells, once there is the class
  JavaVM* vm_ = nullptr;
  jclass sinks_ = nullptr;        // global reference of SinksClass
  jbooleanArray open_ = nullptr;  // likewise: its OPEN
  jmethodID choose_ = nullptr, read_ = nullptr, clear_ = nullptr, forget_ = nullptr;
};

}  // namespace ddm
