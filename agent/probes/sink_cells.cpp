#include "probes/sink_cells.h"

#include <algorithm>

#include "vm/jvmti_memory.h"

namespace ddm {

SinkCells::SinkCells() {
  take_timer();  // cell 0, with which the cost of a hit is measured
  taken_ = 0;
}

std::int32_t SinkCells::take(Free& free) {
  std::int32_t cell = -1;
  bool is_new_choice = false, is_new = false;
  {
    const std::lock_guard lock(mutex_);
    // A loop that was entered before its probe went counts on with the old cell.
    const bool rested = static_cast<std::int32_t>(free.used.size()) * free.size >= kRested;
    if (free.fresh.empty() && !rested && next_chunk_ * kChunk < kCells) {
      is_new_choice = free.chosen;
      chunks_[static_cast<std::size_t>(next_chunk_)] = &free;
      const std::int32_t first = next_chunk_++ * kChunk;
      for (std::int32_t at = kChunk - free.size; at >= 0; at -= free.size) {
        free.fresh.push_back(first + at);
      }
    }
    if (free.fresh.empty() && free.used.empty()) return -1;
    ++taken_;
    is_new = !free.fresh.empty();
    if (is_new) {
      cell = free.fresh.back();
      free.fresh.pop_back();
    } else {
      cell = free.used.front();
      free.used.pop_front();
    }
  }
  if (is_new_choice) publish_choice(environment());
  if (!is_new) clear(cell, free.size);
  return cell;
}

void SinkCells::give_back(std::int32_t cell) {
  JNIEnv* const jni = environment();
  {
    const std::lock_guard lock(mutex_);
    chunks_[static_cast<std::size_t>(cell / kChunk)]->used.push_back(cell);
    if (--taken_ > 0) return;
  }
  if (jni == nullptr) return;
  jni->CallStaticVoidMethod(sinks_, forget_, JNI_TRUE);
  clear_exception(jni);
}

void SinkCells::choose_threads(JNIEnv* jni, std::vector<std::int64_t> ids, bool all_but_these) {
  std::ranges::sort(ids);
  {
    const std::lock_guard lock(mutex_);
    choice_.assign(1, all_but_these ? 1 : 0);
    choice_.insert(choice_.end(), ids.begin(), ids.end());
  }
  publish_choice(jni);
}

void SinkCells::publish_choice(JNIEnv* jni) {
  if (jni == nullptr || sinks_ == nullptr) return;  // bind() will
  const std::lock_guard lock(mutex_);
  std::array<jboolean, kCells / kChunk> chosen_chunks{};
  std::ranges::transform(chunks_, chosen_chunks.begin(),
                         [](const Free* free) { return free != nullptr && free->chosen; });
  const auto chunks = static_cast<jsize>(chosen_chunks.size());
  const auto length = static_cast<jsize>(choice_.size());
  const LocalRef<jbooleanArray> chosen(jni, jni->NewBooleanArray(chunks));
  const LocalRef<jlongArray> choice(jni, chosen ? jni->NewLongArray(length) : nullptr);
  if (choice) {
    jni->SetBooleanArrayRegion(chosen.get(), 0, chunks, chosen_chunks.data());
    jni->SetLongArrayRegion(choice.get(), 0, length, choice_.data());
    jni->CallStaticVoidMethod(sinks_, choose_, chosen.get(), choice.get());
  }
  clear_exception(jni);
}

void SinkCells::bind(JNIEnv* jni, jclass sinks) {
  if (sinks_ != nullptr || jni->GetJavaVM(&vm_) != JNI_OK) return;
  shared_ = std::make_unique<std::atomic<std::int64_t>[]>(kCells);
  choose_ = jni->GetStaticMethodID(sinks, "choose", "([Z[J)V");
  read_ = jni->GetStaticMethodID(sinks, "read", "([J)V");
  clear_ = jni->GetStaticMethodID(sinks, "clear", "(II)V");
  forget_ = jni->GetStaticMethodID(sinks, "forgetThreads", "(Z)V");
  const jfieldID open = jni->GetStaticFieldID(sinks, "OPEN", "[Z");
  if (clear_exception(jni)) return;
  const LocalRef<jobject> field(jni, jni->GetStaticObjectField(sinks, open));
  open_ = static_cast<jbooleanArray>(jni->NewGlobalRef(field.get()));
  if (open_ == nullptr) return;
  sinks_ = sinks;
  publish_choice(jni);
}

// The calling thread's JNIEnv. Null: the class is not bound yet, or the thread is not attached.
JNIEnv* SinkCells::environment() const {
  void* jni = nullptr;
  if (sinks_ == nullptr || vm_->GetEnv(&jni, JNI_VERSION_10) != JNI_OK) return nullptr;
  return static_cast<JNIEnv*>(jni);
}

void SinkCells::clear(std::int32_t first, std::int32_t count) {
  JNIEnv* const jni = environment();
  if (jni == nullptr) return;
  for (std::int32_t cell = first; cell < first + count; ++cell) {
    shared_[static_cast<std::size_t>(cell)] = 0;
  }
  jni->CallStaticVoidMethod(sinks_, clear_, first, count);
  clear_exception(jni);
}

std::vector<std::int64_t> SinkCells::read(JNIEnv* jni) {
  std::int32_t count = 0;
  {
    const std::lock_guard lock(mutex_);
    count = next_chunk_ * kChunk;
  }
  std::vector<std::int64_t> sums(static_cast<std::size_t>(count));
  if (sinks_ == nullptr) return sums;
  const std::lock_guard lock(reading_);
  if (sums_length_ < count) {
    if (sums_ != nullptr) jni->DeleteGlobalRef(sums_);
    const LocalRef<jlongArray> array(jni, jni->NewLongArray(count));
    sums_ = array ? static_cast<jlongArray>(jni->NewGlobalRef(array.get())) : nullptr;
    sums_length_ = sums_ != nullptr ? count : 0;
  }
  if (sums_ != nullptr) {
    jni->CallStaticVoidMethod(sinks_, read_, sums_);
    static_assert(sizeof(jlong) == sizeof(std::int64_t));
    if (!jni->ExceptionCheck()) {
      jni->GetLongArrayRegion(sums_, 0, count, reinterpret_cast<jlong*>(sums.data()));
    }
  }
  clear_exception(jni);
  for (std::size_t cell = 0; cell < sums.size(); ++cell) {
    sums[cell] += shared_[cell].load(std::memory_order_relaxed);
  }
  return sums;
}

void SinkCells::share(std::int32_t cell, std::int64_t more) noexcept {
  if (cell >= 0 && cell < kCells) {
    shared_[static_cast<std::size_t>(cell)].fetch_add(more, std::memory_order_relaxed);
  }
}

void SinkCells::want_values(JNIEnv* jni, std::int32_t cell, bool wanted) const {
  const jboolean value = wanted ? JNI_TRUE : JNI_FALSE;
  if (sinks_ == nullptr) return;
  jni->SetBooleanArrayRegion(open_, cell, 1, &value);
  clear_exception(jni);
}

void SinkCells::forget_threads(JNIEnv* jni) {
  if (sinks_ == nullptr) return;
  jni->CallStaticVoidMethod(sinks_, forget_, JNI_FALSE);
  clear_exception(jni);
}

}  // namespace ddm
