#include "track/thread_books.h"

#include <algorithm>

#include "jvm/jvmti_error.h"
#include "jvm/jvmti_memory.h"
#include "log.h"

namespace ddm {
namespace {

// Ended threads shown one by one; older ones are summed up.
constexpr std::size_t kEndedThreadsKept = 256;

// The calling thread's book. A thread that has ended its Java life has none and never gets one
// again: its key (the VM structure) is about to be reused.
thread_local void* t_book = nullptr;
thread_local bool t_ended = false;

}  // namespace

ThreadBooks::ThreadBooks(jvmtiEnv* jvmti, jfieldID thread_id_field,
                         std::optional<AllocatedBytes> allocated)
    : jvmti_(jvmti), thread_id_field_(thread_id_field), allocated_(std::move(allocated)) {}

void ThreadBooks::start(JNIEnv* jni) {
  jint count = 0;
  JvmtiPtr<jthread> threads(jvmti_);
  const LocalFrame frame(jni, 64);
  const jvmtiError error = jvmti_->GetAllThreads(&count, threads.out());
  if (error != JVMTI_ERROR_NONE) {
    log_warn("GetAllThreads: {}; running threads are booked from their first event on",
             jvmti_error_name(error));
    count = 0;
  }

  const std::lock_guard lock(mutex_);
  running_ = true;
  ended_.clear();
  ended_earlier_ = {};
  ended_seen_ = 0;
  for (auto& [vm_thread, book] : books_) {
    refresh(*book);
    book->base = book->counter;
    book->seen = 0;
    book->seen_bytes = 0;
  }
  if (!allocated_) return;
  for (jint i = 0; i < count; ++i) {
    // Under the mutex a thread cannot pass ThreadEnd. One that passed it already is about to lose
    // its structure although it may still be listed.
    const AllocatedBytes::VmThread vm_thread = allocated_->of(jni, threads[i]);
    if (vm_thread == 0 || ending_.contains(vm_thread)) continue;
    open(vm_thread, jni->GetLongField(threads[i], thread_id_field_), allocated_->read(vm_thread));
  }
}

void ThreadBooks::stop() {
  const std::lock_guard lock(mutex_);
  for (auto& [vm_thread, book] : books_) refresh(*book);
  running_ = false;
}

void ThreadBooks::open(AllocatedBytes::VmThread vm_thread, std::int64_t thread_id,
                       std::int64_t base) {
  auto& book = books_[vm_thread];
  if (book) return;
  book = std::make_unique<Book>();
  book->thread_id = thread_id;
  book->base = base;
  book->counter = base;
  book->vm_thread = vm_thread;
}

ThreadBooks::Book* ThreadBooks::own_book(JNIEnv* jni, std::int64_t size) {
  if (t_book != nullptr) return static_cast<Book*>(t_book);
  if (t_ended) return nullptr;
  const AllocatedBytes::VmThread vm_thread =
      allocated_ ? allocated_->current(jni) : reinterpret_cast<std::uintptr_t>(&t_book);
  const std::lock_guard lock(mutex_);
  auto& book = books_[vm_thread];
  if (!book) {
    // A thread that no event told of (the VM hides some): its past is unknown, and since nothing
    // will tell of its end either, only its own events read its counter.
    book = std::make_unique<Book>();
    if (allocated_) book->base = allocated_->read(vm_thread) - size;
    book->counter = book->base;
  }
  t_book = book.get();
  return book.get();
}

void ThreadBooks::saw(JNIEnv* jni, std::int64_t size) {
  Book* book = own_book(jni, size);
  if (book == nullptr) {
    const std::lock_guard lock(mutex_);
    ++ended_seen_;
    ended_earlier_.seen_bytes += size;
    ended_earlier_.allocated_bytes += size;
    return;
  }
  if (book->vm_thread == 0 && allocated_) {
    book->counter.store(allocated_->read(allocated_->current(jni)), std::memory_order_relaxed);
  }
  book->seen_bytes.fetch_add(size, std::memory_order_relaxed);
  book->seen.fetch_add(1, std::memory_order_relaxed);
}

void ThreadBooks::rebase_current(JNIEnv* jni) {
  if (!allocated_) return;
  const AllocatedBytes::VmThread vm_thread = allocated_->current(jni);
  const std::lock_guard lock(mutex_);
  const auto found = books_.find(vm_thread);
  if (found == books_.end()) return;
  Book& book = *found->second;
  book.base = allocated_->read(vm_thread) - book.seen_bytes;
}

void ThreadBooks::thread_started(JNIEnv* jni, jthread thread) {
  t_ended = false;  // a native thread may attach, detach and attach again
  if (!allocated_) return;
  const std::lock_guard lock(mutex_);
  ending_.erase(allocated_->current(jni));
  if (!running_) return;
  open(allocated_->current(jni), jni->GetLongField(thread, thread_id_field_), 0);
}

void ThreadBooks::thread_ending(JNIEnv* jni) {
  t_ended = true;
  t_book = nullptr;
  if (!allocated_) return;
  const std::lock_guard lock(mutex_);
  ending_.insert(allocated_->current(jni));
  const auto found = books_.find(allocated_->current(jni));
  if (found == books_.end()) return;
  Book& book = *found->second;
  ended_.push_back(balance(book));
  ended_seen_ += book.seen;
  if (ended_.size() > kEndedThreadsKept) {
    ended_earlier_.allocated_bytes += ended_.front().allocated_bytes;
    ended_earlier_.seen_bytes += ended_.front().seen_bytes;
    ended_.pop_front();
  }
  books_.erase(found);
}

// The counter as it is now. Once the books are closed the last value stands.
void ThreadBooks::refresh(Book& book) const {
  if (book.vm_thread != 0) book.counter = allocated_->read(book.vm_thread);
}

ThreadBytes ThreadBooks::balance(Book& book) const {
  ThreadBytes result;
  result.thread_id = book.thread_id;
  if (book.vm_thread == 0) result.name = "(hidden VM thread)";
  result.seen_bytes = book.seen_bytes;  // before the counter: allocated >= seen at any moment
  if (running_) refresh(book);
  result.allocated_bytes = book.counter - book.base;
  return result;
}

ThreadBooks::Totals ThreadBooks::totals() const {
  Totals totals;
  const std::lock_guard lock(mutex_);
  totals.seen = ended_seen_;
  for (const auto& [vm_thread, book] : books_) {
    totals.seen += book->seen;
    totals.threads.push_back(balance(*book));
  }
  totals.threads.insert(totals.threads.end(), ended_.begin(), ended_.end());
  if (ended_earlier_.allocated_bytes != 0) {
    totals.threads.push_back(ended_earlier_);
    totals.threads.back().name = "(threads that ended earlier)";
  }

  std::int64_t unattributed = 0;
  for (const ThreadBytes& thread : totals.threads) {
    totals.seen_bytes += thread.seen_bytes;
    unattributed += thread.unattributed_bytes();
  }
  if (allocated_) totals.unattributed_bytes = unattributed;
  std::erase_if(totals.threads, [](const ThreadBytes& t) { return t.allocated_bytes == 0; });
  std::sort(totals.threads.begin(), totals.threads.end(),
            [](const ThreadBytes& a, const ThreadBytes& b) {
              return a.unattributed_bytes() > b.unattributed_bytes();
            });
  return totals;
}

}  // namespace ddm
