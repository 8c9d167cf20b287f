#include "allocations/capture/thread_books.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/log.h"
#include "vm/jvmti_error.h"
#include "vm/jvmti_memory.h"
#include "vm/own_threads.h"
#include "vm/thread_list.h"
#include "vm/vm_facts.h"

namespace ddm {
namespace {

// An object may be allocated before its thread's book is opened and recorded after it, if the
// thread was in between, or in nested constructors of this many objects.
constexpr int kMostInTheMaking = 64;

std::int64_t bytes_of(const SeenCounter& seen) { return std::llround(seen.read().bytes); }

}  // namespace

constinit thread_local ThreadBooks::Own ThreadBooks::t_own;

ThreadBooks::ThreadBooks(jvmtiEnv* jvmti, jfieldID thread_id_field,
                         std::optional<AllocatedBytes> allocated)
    : jvmti_(jvmti), thread_id_field_(thread_id_field), allocated_(std::move(allocated)) {}

void ThreadBooks::check_counters(JNIEnv* jni) {
  if (std::exchange(checked_, true) || !allocated_) return;
  const std::string wrong = allocated_->wrong(jvmti_, jni);
  if (wrong.empty()) return;
  log_warn("a thread's allocated bytes are not where the VM's {} says: unattributed is unknown",
           wrong);
  const std::lock_guard lock(mutex_);
  counters_are_wrong_ = true;
}

void ThreadBooks::start(JNIEnv* jni) {
  check_counters(jni);
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
  for (auto& [vm_thread, book] : books_) {
    book->seen.clear();
    book->journal.clear();
  }
  if (!has_counters()) return;
  for (jint i = 0; i < count; ++i) {
    // The mutex keeps a thread from passing ThreadEnd. One that has passed it is about to lose its
    // JavaThread, although it may still be listed.
    const AllocatedBytes::VmThread vm_thread = allocated_->of(jni, threads[i]);
    if (vm_thread == 0 || ending_.contains(vm_thread)) continue;
    const std::int64_t thread_id = jni->GetLongField(threads[i], thread_id_field_);
    if (is_own_thread(thread_id)) continue;
    open(vm_thread, Counter::kShared, 0, thread_id, is_carrier(jvmti_, jni, threads[i]));
  }
}

void ThreadBooks::begin() {
  const std::lock_guard lock(mutex_);
  ended_.clear();
  for (auto& [vm_thread, book] : books_) {
    refresh(*book);
    book->base = book->counter.load();
    book->unsettled = kMostInTheMaking;
  }
}

void ThreadBooks::stop() {
  const std::lock_guard lock(mutex_);
  for (auto& [vm_thread, book] : books_) refresh(*book);
  running_ = false;
}

void ThreadBooks::go_on() {
  const std::lock_guard lock(mutex_);
  running_ = true;
}

void ThreadBooks::add_seen_since() {
  const std::lock_guard lock(mutex_);
  for (auto& [vm_thread, book] : books_) {
    book->counter = std::max(book->counter.load(), book->base + bytes_of(book->seen));
  }
}

// The book of a thread that ends while the VM waits for callbacks stays, though its JavaThread is
// freed. No book is opened for a thread that begins then.
std::vector<BookNumber> ThreadBooks::part_from_ended(JNIEnv* jni) {
  std::vector<BookNumber> parted;
  if (vm_feature_release(jvmti_) < kVmDeathIsLast) return parted;
  jint count = 0;
  JvmtiPtr<jthread> threads(jvmti_);
  const LocalFrame frame(jni, 64);
  if (!has_counters() || jvmti_->GetAllThreads(&count, threads.out()) != JVMTI_ERROR_NONE) {
    return parted;
  }
  std::unordered_set<Key> alive;
  for (jint i = 0; i < count; ++i) alive.insert(allocated_->of(jni, threads[i]));
  const std::lock_guard lock(mutex_);
  for (auto& [vm_thread, book] : books_) {
    if (book->counter_of != Counter::kShared || alive.contains(vm_thread)) continue;
    book->counter_of = Counter::kGone;
    book->counter = book->base + bytes_of(book->seen);
    parted.push_back(book->number);
  }
  return parted;
}

ThreadBooks::Book& ThreadBooks::open(Key key, Counter counter_of, std::int64_t base,
                                     std::int64_t thread_id, bool carrier) {
  auto& book = books_[key];
  if (book) return *book;
  book = std::make_unique<Book>();
  book->number = ++last_number_;
  book->key = key;
  book->counter_of = counter_of;
  book->base = base;
  book->counter = base;
  book->thread_id = thread_id;
  book->carrier = carrier;
  return *book;
}

ThreadBooks::Key ThreadBooks::current_key(JNIEnv* jni) const {
  return has_counters() ? allocated_->current(jni) : reinterpret_cast<std::uintptr_t>(&t_own);
}

ThreadBooks::Book* ThreadBooks::open_current(JNIEnv* jni, std::int64_t size) {
  if (t_own.book != nullptr || t_own.ended) return t_own.book;
  const Key key = current_key(jni);
  const std::lock_guard lock(mutex_);
  if (const auto found = books_.find(key); found != books_.end()) {
    t_own.book = found->second.get();
  } else {
    // A thread without a ThreadStart event: its past is unknown.
    t_own.book = has_counters() ? &open(key, Counter::kHidden, allocated_->read(key) - size)
                                : &open(key, Counter::kNone, 0);
    t_own.book->unsettled = kMostInTheMaking;
  }
  return t_own.book;
}

ThreadBooks::Number ThreadBooks::settle_current(JNIEnv* jni, std::int64_t size) {
  Book* book = open_current(jni, size);
  if (book == nullptr) return 0;
  if (book->counter_of == Counter::kHidden) {
    book->counter.store(allocated_->read(book->key), std::memory_order_relaxed);
  }
  if (book->unsettled > 0 && has_counters()) settle(*book, size);
  return book->number;
}

// If a thread has seen more than it allocated since its book was opened, the excess was allocated
// before that.
void ThreadBooks::settle(Book& book, std::int64_t size) {
  --book.unsettled;
  const std::int64_t seen = bytes_of(book.seen) + size;
  const std::int64_t made = allocated_->read(book.key) - book.base;
  if (seen > made) book.base -= seen - made;
}

void ThreadBooks::leave_out(std::int64_t size) {
  Book* const own = t_own.book;
  if (own != nullptr && own->counter_of != Counter::kNone) own->base += size;
}

void ThreadBooks::count_past_end(Seen seen, SiteEntry one) {
  const std::lock_guard lock(mutex_);
  if (Sites* const sites = this->sites(); sites != nullptr) sites->count(one);
  ended_.add_past_end(seen, one.size);
}

std::shared_ptr<Sites> ThreadBooks::use(std::shared_ptr<Sites> sites) {
  const std::lock_guard lock(mutex_);
  for (auto& [vm_thread, book] : books_) {
    book->seen.clear();
    book->journal.clear();
  }
  sites_in_use_.store(sites.get(), std::memory_order_release);
  return std::exchange(sites_, std::move(sites));
}

void ThreadBooks::drain_journals() {
  const std::lock_guard lock(mutex_);
  if (!sites_) return;
  const auto held = sites_->hold();
  for (auto& [vm_thread, book] : books_) sites_->take(book->journal, book->seen.read().entries);
}

void ThreadBooks::poll_times(std::int64_t ms) {
  const std::lock_guard lock(mutex_);
  if (!sites_) return;
  const auto held = sites_->hold();
  Seen seen = ended_.seen();
  std::vector<SiteCopy::Counted> counted;
  SiteCopy& copy = sites_->copy();
  if (copy.on()) counted.reserve(books_.size());
  for (auto& [vm_thread, book] : books_) {
    const Seen own = book->seen.read();
    sites_->take(book->journal, own.entries);
    seen.add(own);
    if (copy.on()) counted.push_back({book->number, own.last_seq, own.recording});
  }
  copy.begin();
  for (const SiteCopy::Counted& one : counted) copy.put(one);
  sites_->poll_times(ms);
  copy.end(last_number_, seen.count, seen.bytes);
}

void ThreadBooks::add_names(NamesInUse& used) const {
  const std::lock_guard lock(mutex_);
  if (!sites_) return;
  const auto held = sites_->hold();
  sites_->add_names(used);
  for (const auto& [vm_thread, book] : books_) {
    for (const SiteEntry& one : book->journal.open(book->seen.read().entries)) {
      used.classes.insert(one.class_id);
    }
  }
}

void ThreadBooks::thread_started(JNIEnv* jni, jthread thread) {
  t_own.ended = false;  // a native thread may attach repeatedly
  const std::int64_t thread_id = jni->GetLongField(thread, thread_id_field_);
  if (is_own_thread(thread_id)) become_own_thread();
  if (!has_counters()) return;
  const bool carrier = is_carrier(jvmti_, jni, thread);
  // The lock is taken last: the process's exit takes it too, and calls into the VM may block.
  const std::lock_guard lock(mutex_);
  ending_.erase(allocated_->current(jni));
  if (running_ && has_counters() && !on_own_thread()) {
    open(allocated_->current(jni), Counter::kShared, 0, thread_id, carrier);
  }
}

void ThreadBooks::thread_ending(JNIEnv* jni) {
  t_own = {.book = nullptr, .ended = true};
  if (!has_counters()) return;
  const std::lock_guard lock(mutex_);
  const Key key = allocated_->current(jni);
  ending_.insert(key);
  const auto found = books_.find(key);
  if (found == books_.end()) return;
  Book& book = *found->second;
  if (sites_) sites_->close(book.journal);
  const Seen seen = book.seen.read();
  ended_.add(balance(book, seen), seen, book.carrier);
  books_.erase(found);
}

// Updates the counter. Once the books are closed, the last value is kept.
void ThreadBooks::refresh(Book& book) const {
  if (book.counter_of == Counter::kShared) book.counter = allocated_->read(book.key);
}

ThreadBytes ThreadBooks::balance(Book& book, const Seen& seen) const {
  ThreadBytes result;
  result.thread_id = book.thread_id;
  const bool hidden = book.counter_of != Counter::kShared && book.counter_of != Counter::kGone;
  if (hidden) result.name = "(hidden VM thread)";
  result.seen_bytes = std::llround(seen.bytes);
  result.seen = std::llround(seen.count);
  if (running_) refresh(book);
  result.allocated_bytes = book.counter - book.base;
  return result;
}

BooksSnapshot ThreadBooks::snapshot(const std::function<void()>& read_ring) const {
  BooksSnapshot moment;
  SiteReadings room;
  if (const auto sites = read_ring ? shared_sites() : nullptr) room = sites->room();
  const std::lock_guard lock(mutex_);
  std::unique_lock<std::mutex> held;
  if (read_ring && sites_) {
    moment.sites_ = sites_;
    held = sites_->hold();
    moment.site_sums_ = sites_->sums(std::move(room));
    moment.live_ = sites_->live_reading();
    moment.site_times_ = sites_->times();
  }
  for (const auto& [vm_thread, book] : books_) {
    const Seen seen = book->seen.read();
    moment.threads_[book->number] = {{}, seen, seen.last_seq, book->carrier};
    if (!held) continue;
    const std::vector<SiteEntry> open = book->journal.open(seen.entries);
    moment.site_entries_.insert(moment.site_entries_.end(), open.begin(), open.end());
  }
  if (read_ring) read_ring();
  if (held) held.unlock();
  // Counters are read last, so that they include every record of the ring: allocated >= seen.
  for (const auto& [vm_thread, book] : books_) {
    BooksSnapshot::Thread& thread = moment.threads_[book->number];
    thread.bytes = balance(*book, thread.seen);
  }
  moment.ended_ = ended_;
  moment.last_number_ = last_number_;
  moment.has_counters_ = has_counters();
  return moment;
}

}  // namespace ddm
