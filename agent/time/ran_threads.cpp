#include "time/ran_threads.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <string_view>

#include "core/clocks.h"
#include "core/file_descriptor.h"
#include "vm/jvmti_memory.h"
#include "vm/own_threads.h"
#include "vm/thread_list.h"

namespace ddm {
namespace {

// Listing 2,000 threads takes half a millisecond: a program that starts a thread per request is
// listed at most once per this interval.
constexpr std::int64_t kListsApart = 20'000'000;
constexpr LookRate::Limits kLooks{.most_quiet = 4, .patience = 1};
// Where samples stand for time that passes: what comes after a thread's last check has none, and
// rare checks make figures of short waits uneven.
constexpr LookRate::Limits kLooksAtTime{.most_quiet = 2, .patience = 4};
// In a trace a short run is shown where its thread is met, if it is still running then. With many
// threads that would cost more than the sampler may.
constexpr LookRate::Limits kLooksInTrace{.most_quiet = 1, .patience = 16};
constexpr std::size_t kMostInTrace = 128;
constexpr std::int64_t kNamesApart = 1'000'000'000;
constexpr std::size_t kMostEnded = 65536;  // between two lists

using FileText = std::array<char, 64>;

// The beginning of a file of /proc/self/task; empty if it cannot be read.
std::string_view text_of_task(std::uint32_t os_id, std::string_view file_name, FileText& text) {
  FileText path{};
  *fmt::format_to_n(path.data(), path.size() - 1, "/proc/self/task/{}/{}", os_id, file_name).out =
      0;
  const FileDescriptor file(open(path.data(), O_RDONLY | O_CLOEXEC));
  const ssize_t size = file.valid() ? read(file.get(), text.data(), text.size()) : 0;
  return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

// Whether the thread is runnable without a processor.
bool waits_for_processor(std::uint32_t os_id) {
  FileText text;
  const std::string_view line = text_of_task(os_id, "stat", text);
  const std::size_t end = line.rfind(')');  // its name has at most 15 bytes
  return end != std::string_view::npos && line.substr(end + 1, 2) == " R";
}

// For how long the thread was runnable without a processor, until it had one last. schedstat is "CPU
// that, times"; 0 where the kernel has no such file (CONFIG_SCHED_INFO).
std::int64_t run_delay_of_ns(std::uint32_t os_id) {
  FileText text;
  const std::string_view line = text_of_task(os_id, "schedstat", text);
  std::int64_t result = 0;
  if (const std::size_t blank = line.find(' '); blank != std::string_view::npos) {
    std::from_chars(line.data() + blank + 1, line.data() + line.size(), result);
  }
  return result;
}

}  // namespace

void RanThreads::thread_ended(JNIEnv* jni, jthread thread) noexcept {
  changes_.fetch_add(1, std::memory_order_relaxed);
  if (first_list_ || on_own_thread()) return;
  const EndedClock ended{fields_.id(jni, thread), cpu_of_this_thread_ns()};
  const std::lock_guard lock(ended_mutex_);
  if (ended_clocks_.size() >= kMostEnded) return;
  try {
    ended_clocks_.push_back(ended);
  } catch (const std::bad_alloc&) {  // what it used last is not told
  }
}

// What a thread has used that begins and ends between two lists has no sample. Its clock is from its
// start, unless the OS thread is older.
void RanThreads::take_clocks_of_ended(std::int64_t since_ns) {
  std::vector<EndedClock> all;
  {
    const std::lock_guard lock(ended_mutex_);
    all.swap(ended_clocks_);
  }
  for (const EndedClock& one : all) {
    if (const auto at = threads_.find(one.id); at != threads_.end()) {
      at->second.last_clock_ns = one.clock_ns;
    } else if (!first_list_ && one.clock_ns <= since_ns) {
      ended_unattributed_ns_ += one.clock_ns;
    }
  }
}

void RanThreads::read_list(JNIEnv* jni, std::int64_t now_ns, std::int64_t unit_ns) {
  changes_read_ = changes_.load(std::memory_order_relaxed);
  ++lists_;
  const LocalFrame frame(jni, 64);
  if (!frame.good()) return;
  for (auto& slot : due_) slot.clear();
  for (jthread listed : all_threads(jvmti_, jni)) {
    const std::int64_t id = fields_.id(jni, listed);
    const auto [at, fresh] = threads_.try_emplace(id);
    RanThread& thread = at->second;
    thread.list = lists_;
    if (fresh && !is_own_thread(id)) {
      thread.id = id;
      thread.thread = jni->NewGlobalRef(listed);
      register_thread(jni, thread, now_ns, unit_ns);
    }
  }
  take_clocks_of_ended(now_ns - list_read_ns_);
  first_list_ = false;
  list_read_ns_ = now_ns;
  unattributed_ns_ = 0;
  for (auto at = threads_.begin(); at != threads_.end();) {
    RanThread& thread = at->second;
    const std::int64_t unattributed_ns = thread.unattributed_ns - thread.head_start_ns;
    if (thread.list == lists_) {
      unattributed_ns_ += unattributed_ns;
      thread.due = std::max(thread.due, polls_);
      if (thread.os_id != 0) due_[thread.due % kSlots].push_back(&thread);
      ++at;
      continue;
    }
    const std::int64_t last_ns = std::max<std::int64_t>(thread.last_clock_ns - thread.clock_ns, 0);
    ended_unattributed_ns_ += unattributed_ns + last_ns;
    if (thread.thread != nullptr) jni->DeleteGlobalRef(thread.thread);
    at = threads_.erase(at);
  }
}

void RanThreads::register_thread(JNIEnv* jni, RanThread& thread, std::int64_t now_ns,
                                 std::int64_t unit_ns) {
  thread.os_id = fields_.os_id(jni, thread.thread);
  if (thread.os_id == 0) return;
  thread.carrier = is_carrier(jvmti_, jni, thread.thread);
  const auto part_of_unit = [&] {
    return static_cast<std::int64_t>(static_cast<double>(unit_ns) * random_() / random_.max());
  };
  thread.unattributed_ns = thread.head_start_ns = part_of_unit();
  // CPU time used before the first list is not attributed. A thread started since the last list has
  // used no more than the time since then; otherwise its OS thread is older than the Java thread:
  // the one that destroys the VM is the one that ran main.
  const std::int64_t clock = cpu_of_thread_ns(thread.os_id);
  const bool is_older = first_list_ || clock > now_ns - list_read_ns_;
  if (is_older) thread.clock_ns = clock;
  thread.run_delay_ns = run_delay_of_ns(thread.os_id);
  // Where its CPU counts from its start, so does the time that it was certainly there.
  thread.waiting.begin(monotonic_ns() - (is_older ? 0 : clock), unit_ns, part_of_unit());
}

const std::string& RanThreads::name_of(JNIEnv* jni, RanThread& thread, std::int64_t now_ns) const {
  if (thread.name_read_ns == 0 || now_ns - thread.name_read_ns >= kNamesApart) {
    thread.name = fields_.name(jni, thread.thread);
    thread.name_read_ns = now_ns;
  }
  return thread.name;
}

// Since the last time.
std::int64_t RanThreads::run_delay_since(RanThread& thread) const {
  const std::int64_t before = thread.run_delay_ns;
  thread.run_delay_ns = std::max(run_delay_of_ns(thread.os_id), before);
  return thread.run_delay_ns - before;
}

void RanThreads::read_clock(RanThread& thread, std::int64_t round_ns, SampleCounts* waits,
                            const LookRate::Limits& looks) {
  const std::int64_t clock = cpu_of_thread_ns(thread.os_id);
  std::int64_t ran_ns = 0;
  if (clock > thread.clock_ns) {
    ran_ns = clock - thread.clock_ns + (waits != nullptr ? run_delay_since(thread) : 0);
    thread.unattributed_ns += ran_ns;
    thread.clock_ns = clock;
    ran_.push_back(&thread);
  }
  if (waits != nullptr && clock >= 0) {
    thread.waiting.checked(monotonic_ns(), ran_ns, round_ns * thread.rate.rounds(), *waits);
  }
  thread.due = polls_ + thread.rate.next(ran_ns > 0, looks, random_);
  due_[thread.due % kSlots].push_back(&thread);
}

const std::vector<RanThread*>& RanThreads::poll(JNIEnv* jni, std::int64_t now_ns,
                                                std::int64_t unit_ns, SampleCounts* waits,
                                                bool in_trace) {
  ++polls_;
  if (changes_.load(std::memory_order_relaxed) != changes_read_ &&
      now_ns - list_read_ns_ >= kListsApart) {
    read_list(jni, now_ns, unit_ns);
  }
  ran_.clear();
  now_due_.clear();
  now_due_.swap(due_[polls_ % kSlots]);
  const std::int64_t round_ns = polled_ns_ == 0 ? 0 : now_ns - polled_ns_;
  polled_ns_ = now_ns;
  const LookRate::Limits& looks = in_trace && threads_.size() <= kMostInTrace ? kLooksInTrace
                                  : waits != nullptr                          ? kLooksAtTime
                                                                              : kLooks;
  for (RanThread* thread : now_due_) read_clock(*thread, round_ns, waits, looks);
  return ran_;
}

bool RanThreads::should_take_stack(RanThread& thread, bool waiting_too) const {
  const std::int64_t clock = cpu_of_thread_ns(thread.os_id);
  thread.running = cpu_of_thread_ns(thread.os_id) > clock;
  thread.queued = waiting_too && !thread.running && waits_for_processor(thread.os_id);
  if (thread.running) thread.unmet = 0;
  if (thread.running || (waiting_too && !thread.queued)) return true;
  // One processor is taken by this thread. After four times the expected number of rounds, a thread
  // would have been found running with 98 % probability.
  const std::size_t others = processors_ - 1;
  if (others != 0 && ++thread.unmet < 4 * (ran_.size() + others - 1) / others) return false;
  thread.unmet = 0;
  return true;
}

void RanThreads::clear(JNIEnv* jni) {
  for (auto& [id, thread] : threads_) {
    if (thread.thread != nullptr) jni->DeleteGlobalRef(thread.thread);
  }
  threads_.clear();
  for (auto* list : {&ran_, &now_due_}) std::vector<RanThread*>().swap(*list);
  for (auto& slot : due_) std::vector<RanThread*>().swap(slot);
  first_list_ = true;
  take_clocks_of_ended(0);  // nothing counts any more
  changes_read_ = 0;
  list_read_ns_ = polled_ns_ = ended_unattributed_ns_ = unattributed_ns_ = 0;
}

}  // namespace ddm
