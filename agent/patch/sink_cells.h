// The counters and timers that patched code adds to, and where its values go.
//
// They live in java.lang.DdmTrackerSinks as Java arrays, so that the JIT inlines a count; this
// class hands out their numbers and reads them. A number that is given back is used again as late
// as possible: methods that were running may still count with it for a while. Any attached thread;
// read() and others that take a JNIEnv run a little Java of the sinks' own.
#pragma once

#include <jni.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace ddm {

// Takes what patched code hands over: hit() and value() of the sinks. On the program's threads, in
// the middle of their code, several at once: nothing that runs Java, throws or waits. A call that
// comes out of such a call on the same thread is dropped.
class SinkReceiver {
 public:
  virtual ~SinkReceiver() = default;

  virtual void hit(JNIEnv*, std::int32_t cell) { (void)cell; }
  virtual void value(JNIEnv*, std::int32_t cell, std::int32_t which, jlong value) {
    (void)cell, (void)which, (void)value;
  }
  virtual void value(JNIEnv*, std::int32_t cell, std::int32_t which, jdouble value) {
    (void)cell, (void)which, (void)value;
  }
  // May be null; good until the call returns.
  virtual void value(JNIEnv*, std::int32_t cell, std::int32_t which, jobject value) {
    (void)cell, (void)which, (void)value;
  }
};

struct TimerTotals {
  static constexpr int kBuckets = 60;
  std::int64_t hits = 0, total_ns = 0, longest_ns = 0;
  std::int64_t exceptions = 0;          // thrown(), which are among the hits
  std::int64_t buckets[kBuckets] = {};  // [n]: 2^n ns up to 2^(n+1); [0] from 0
};

class SinkCells {
 public:
  static constexpr std::int32_t kCells = 128 * 256;
  static constexpr std::int32_t kTimerCells = 64;

  SinkCells();

  // Numbers for count() and for values, or for begin()/end(); -1: all are in use.
  // `receiver`: null, or it must outlive the cell.
  std::int32_t take_counter(std::shared_ptr<SinkReceiver> receiver = nullptr);
  std::int32_t take_timer();
  void give_back_counter(std::int32_t cell);
  void give_back_timer(std::int32_t cell);

  // Before a cell that was handed out is first used: it starts at zero.
  void clear(JNIEnv* jni, std::int32_t first, std::int32_t count);
  // The counts of cells; all zero if the VM could not tell.
  std::vector<std::int64_t> read(JNIEnv* jni, std::int32_t first, std::int32_t count) const;
  TimerTotals read_timer(JNIEnv* jni, std::int32_t cell) const;
  // Whether hit() and value() of that cell reach the receiver; not at first.
  void open(JNIEnv* jni, std::int32_t cell, bool wanted);
  // Lets go of threads that have ended; to be called now and then.
  void forget_threads(JNIEnv* jni);

  std::shared_ptr<SinkReceiver> receiver_of(std::int32_t cell) const;
  // By SinksClass.
  void bind(JNIEnv* jni, jclass sinks);

 private:
  // Chunks of 256 cells hold either 256 counters or 4 timers.
  struct Free {
    explicit Free(std::int32_t cells) : size(cells) {}
    const std::int32_t size;
    std::vector<std::int32_t> fresh;
    std::deque<std::int32_t> used;
  };
  std::int32_t take(Free& free);

  mutable std::mutex mutex_;
  Free counters_{1}, timers_{kTimerCells};
  std::int32_t next_chunk_ = 0;
  std::vector<std::shared_ptr<SinkReceiver>> receivers_;
  jclass sinks_ = nullptr;  // global reference of SinksClass
  jmethodID read_ = nullptr, largest_ = nullptr, clear_ = nullptr, open_ = nullptr,
            forget_ = nullptr;
};

}  // namespace ddm
