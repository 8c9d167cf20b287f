#include "patch/sink_cells.h"

#include <algorithm>

#include "jvm/jvmti_memory.h"

namespace ddm {
namespace {

constexpr std::int32_t kChunk = 256;

}  // namespace

SinkCells::SinkCells() : receivers_(kCells) {}

std::int32_t SinkCells::take(Free& free) {
  // What was given back rests until there is a chunk of it.
  const bool rested = static_cast<std::int32_t>(free.used.size()) * free.size >= kChunk;
  if (free.fresh.empty() && !rested && next_chunk_ * kChunk < kCells) {
    const std::int32_t first = next_chunk_++ * kChunk;
    for (std::int32_t at = kChunk - free.size; at >= 0; at -= free.size) {
      free.fresh.push_back(first + at);
    }
  }
  std::int32_t cell = -1;
  if (!free.fresh.empty()) {
    cell = free.fresh.back();
    free.fresh.pop_back();
  } else if (!free.used.empty()) {
    cell = free.used.front();
    free.used.pop_front();
  }
  return cell;
}

std::int32_t SinkCells::take_counter(std::shared_ptr<SinkReceiver> receiver) {
  const std::lock_guard lock(mutex_);
  const std::int32_t cell = take(counters_);
  if (cell >= 0) receivers_[static_cast<std::size_t>(cell)] = std::move(receiver);
  return cell;
}

std::int32_t SinkCells::take_timer() {
  const std::lock_guard lock(mutex_);
  return take(timers_);
}

void SinkCells::give_back_counter(std::int32_t cell) {
  std::shared_ptr<SinkReceiver> receiver;  // ends outside of the lock
  const std::lock_guard lock(mutex_);
  receiver.swap(receivers_[static_cast<std::size_t>(cell)]);
  counters_.used.push_back(cell);
}

void SinkCells::give_back_timer(std::int32_t cell) {
  const std::lock_guard lock(mutex_);
  timers_.used.push_back(cell);
}

std::shared_ptr<SinkReceiver> SinkCells::receiver_of(std::int32_t cell) const {
  if (cell < 0 || cell >= kCells) return nullptr;
  const std::lock_guard lock(mutex_);
  return receivers_[static_cast<std::size_t>(cell)];
}

void SinkCells::bind(JNIEnv* jni, jclass sinks) {
  sinks_ = sinks;
  read_ = jni->GetStaticMethodID(sinks, "read", "(I[J)V");
  largest_ = jni->GetStaticMethodID(sinks, "largest", "(I)J");
  clear_ = jni->GetStaticMethodID(sinks, "clear", "(II)V");
  open_ = jni->GetStaticMethodID(sinks, "open", "(IZ)V");
  forget_ = jni->GetStaticMethodID(sinks, "forgetThreads", "()V");
  if (clear_exception(jni)) sinks_ = nullptr;
}

void SinkCells::clear(JNIEnv* jni, std::int32_t first, std::int32_t count) {
  if (sinks_ == nullptr) return;
  jni->CallStaticVoidMethod(sinks_, clear_, first, count);
  clear_exception(jni);
}

std::vector<std::int64_t> SinkCells::read(JNIEnv* jni, std::int32_t first,
                                          std::int32_t count) const {
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  if (sinks_ == nullptr) return values;
  const LocalRef<jlongArray> array(jni, jni->NewLongArray(count));
  if (array) {
    jni->CallStaticVoidMethod(sinks_, read_, first, array.get());
    static_assert(sizeof(jlong) == sizeof(std::int64_t));
    if (!jni->ExceptionCheck()) {
      jni->GetLongArrayRegion(array.get(), 0, count, reinterpret_cast<jlong*>(values.data()));
    }
  }
  clear_exception(jni);
  return values;
}

TimerTotals SinkCells::read_timer(JNIEnv* jni, std::int32_t cell) const {
  TimerTotals totals;
  const std::vector<std::int64_t> cells = read(jni, cell, kTimerCells);
  totals.hits = cells[0];
  totals.total_ns = cells[1];
  totals.exceptions = cells[3];
  std::copy(cells.begin() + 4, cells.end(), totals.buckets);
  if (sinks_ != nullptr) {
    totals.longest_ns = jni->CallStaticLongMethod(sinks_, largest_, cell + 2);
    if (clear_exception(jni)) totals.longest_ns = 0;
  }
  return totals;
}

void SinkCells::open(JNIEnv* jni, std::int32_t cell, bool wanted) {
  if (sinks_ == nullptr) return;
  jni->CallStaticVoidMethod(sinks_, open_, cell, static_cast<jboolean>(wanted));
  clear_exception(jni);
}

void SinkCells::forget_threads(JNIEnv* jni) {
  if (sinks_ == nullptr) return;
  jni->CallStaticVoidMethod(sinks_, forget_);
  clear_exception(jni);
}

}  // namespace ddm
