#include "patch/probe_cells.h"

#include <algorithm>
#include <bit>
#include <exception>

#include "jvm/jvmti_memory.h"

namespace ddm {

std::string ProbeCells::open(JNIEnv* jni, jobjectArray rows) {
  const std::lock_guard lock(mutex_);
  if (rows_ != nullptr) return "";
  const LocalRef<jobject> none(jni, jni->GetObjectArrayElement(rows, 0));
  if (clear_exception(jni) || !none || jni->GetArrayLength(rows) != kRows) {
    return "java.lang.DdmTrackerProbes is not as expected";
  }
  by_place_.assign(kRows, nullptr);
  shared_ = std::make_unique<std::atomic<jlong>[]>(kMost);
  none_ = static_cast<jlongArray>(jni->NewGlobalRef(none.get()));
  rows_ = static_cast<jobjectArray>(jni->NewGlobalRef(rows));
  return "";
}

std::optional<jint> ProbeCells::take(jint count) {
  const jint first = next_.load(std::memory_order_relaxed);
  if (count > kMost - first) return {};
  next_.store(first + count, std::memory_order_relaxed);
  return first;
}

void ProbeCells::clear(JNIEnv* jni) {
  const std::lock_guard lock(mutex_);
  if (rows_ == nullptr) return;
  for (jint place = 0; place < kRows; ++place) {
    jni->SetObjectArrayElement(rows_, place, none_);
  }
  clear_exception(jni);
  by_place_.assign(kRows, nullptr);
  for (const auto& row : all_) jni->DeleteGlobalRef(row->cells);
  all_.clear();
  for (jint cell = 0; cell < kMost; ++cell) shared_[static_cast<std::size_t>(cell)] = 0;
  next_.store(kFirst, std::memory_order_relaxed);
}

std::vector<std::int64_t> ProbeCells::sums(JNIEnv* jni) {
  const auto count = static_cast<std::size_t>(next_.load(std::memory_order_relaxed));
  std::vector<std::int64_t> sums(count, 0);
  std::vector<jlong> cells(count);
  const std::lock_guard lock(mutex_);
  if (rows_ == nullptr) return sums;
  for (const auto& row : all_) {
    const jint length = std::min(row->length, static_cast<jint>(count));
    jni->GetLongArrayRegion(row->cells, 0, length, cells.data());
    for (std::size_t cell = 1; cell < static_cast<std::size_t>(length); ++cell) {
      sums[cell] += cells[cell];
    }
  }
  clear_exception(jni);
  for (std::size_t cell = 0; cell < count; ++cell) {
    sums[cell] += shared_[cell].load(std::memory_order_relaxed);
  }
  return sums;
}

ProbeCells::Row* ProbeCells::free_row(jint length) {
  const auto row = std::find_if(all_.begin(), all_.end(), [&](const std::unique_ptr<Row>& one) {
    return one->thread == 0 && one->length >= length;
  });
  return row != all_.end() ? row->get() : nullptr;
}

bool ProbeCells::give(JNIEnv* jni, Row& row, jlong thread) {
  jni->SetLongArrayRegion(row.cells, 0, 1, &thread);
  jni->SetObjectArrayElement(rows_, static_cast<jint>(thread & (kRows - 1)), row.cells);
  if (clear_exception(jni)) return false;
  row.thread = thread;
  by_place_[static_cast<std::size_t>(thread & (kRows - 1))] = &row;
  return true;
}

// Only threads that have no row, or one that is too short, come here: once or twice in their lives,
// or each time where another thread's row stands in the place that would be theirs.
jlongArray ProbeCells::new_row(JNIEnv* jni, jlong thread, jint last) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (rows_ == nullptr || thread == 0 || last >= kMost) return nullptr;
    Row* const there = by_place_[static_cast<std::size_t>(thread & (kRows - 1))];
    if (there != nullptr && there->thread != 0 && there->thread != thread) return nullptr;
    const auto wanted = std::max(last + 1, next_.load(std::memory_order_relaxed));
    const auto length =
        std::min(kMost, static_cast<jint>(std::bit_ceil(static_cast<unsigned>(wanted))));
    Row* row = free_row(length);
    if (row == nullptr) {
      const LocalRef<jlongArray> cells(jni, jni->NewLongArray(length));
      if (clear_exception(jni) || !cells) return nullptr;
      auto made = std::make_unique<Row>();
      made->length = length;
      made->cells = static_cast<jlongArray>(jni->NewGlobalRef(cells.get()));
      if (made->cells == nullptr) return nullptr;
      all_.push_back(std::move(made));
      row = all_.back().get();
    }
    // A row that is too short keeps what it has, for the sums; somebody else may add to it later.
    if (there != nullptr && there->thread == thread) there->thread = 0;
    if (!give(jni, *row, thread)) return nullptr;
    return static_cast<jlongArray>(jni->NewLocalRef(row->cells));
  } catch (const std::exception&) {
    return nullptr;  // no memory: the hit goes to the shared cells
  }
}

void ProbeCells::share(jint cell, jlong amount) noexcept {
  if (shared_ && cell >= 0 && cell < kMost) {
    shared_[static_cast<std::size_t>(cell)].fetch_add(amount, std::memory_order_relaxed);
  }
}

void ProbeCells::thread_ending(jlong thread) {
  const std::lock_guard lock(mutex_);
  if (by_place_.empty()) return;
  Row* const row = by_place_[static_cast<std::size_t>(thread & (kRows - 1))];
  if (row == nullptr || row->thread != thread) return;
  row->thread = 0;
  by_place_[static_cast<std::size_t>(thread & (kRows - 1))] = nullptr;
  // Its id stays in the row: it is not given out again, and nobody adds until the row is given away.
}

}  // namespace ddm
