#include "time/lock_holders.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <string>
#include <utility>

#include "core/clocks.h"
#include "core/log.h"
#include "core/own_memory.h"
#include "vm/boot_class.h"
#include "vm/jvmti_memory.h"
#include "vm/vm_structs.h"

namespace ddm {
namespace {

constexpr std::uint64_t kFirstThreadId = 3;  // smaller values have other meanings (24 and newer)
constexpr std::int64_t kEpisodeLasts = 1'000'000'000;
constexpr std::int64_t kStackLasts = 2'000'000;
constexpr std::size_t kMostThreads = 4096, kMostEpisodes = 1024;
// Queries may take this fraction of the time since the start, plus a fixed amount.
constexpr std::int64_t kShare = 50;
constexpr std::int64_t kSpentAtOnce = 50'000'000;
// A query that took longer has waited for a processor, which costs the program nothing.
constexpr std::int64_t kLongestQuery = 10'000'000;

// The address of the ObjectMonitor that this thread waits for, read while trust is not decided.
thread_local std::uintptr_t t_awaited = 0;

}  // namespace

void LockHolders::start(jvmtiEnv* jvmti, JNIEnv* jni, const StackNaming& naming, CallTree& traces) {
  if (!fields_) {
    naming_.emplace(naming);
    traces_ = &traces;
    find_layout(jvmti, jni);
  }
  if (const auto locked = lock()) forget(jni);
  spent_ns_ = 0;
  started_ns_ = monotonic_ns();
}

void LockHolders::find_layout(jvmtiEnv* jvmti, JNIEnv* jni) {
  fields_ = ThreadFields::find(jvmti, jni);
  if (!fields_) return;
  some_virtual_ = totals_.holder_number("(virtual thread)");
  ownable_ = global_class(jni, "java/util/concurrent/locks/AbstractOwnableSynchronizer");
  if (ownable_ != nullptr) {
    exclusive_owner_ = jni->GetFieldID(ownable_, "exclusiveOwnerThread", "Ljava/lang/Thread;");
    clear_exception(jni);
  }
  virtual_thread_ = global_class(jni, "java/lang/BaseVirtualThread");
  jvmtiCapabilities potential{}, wanted{};
  if (jvmti->GetPotentialCapabilities(&potential) == JVMTI_ERROR_NONE) {
    wanted.can_get_monitor_info = potential.can_get_monitor_info;
    jvmti->AddCapabilities(&wanted);
  }
  LocalRef<jthread> current(jni, nullptr);
  if (jvmti->GetCurrentThread(current.out()) == JVMTI_ERROR_NONE && current) {
    vm_threads_ = VmThreads::create(jni, current.get());
  }
  auto pending = vm_structs::offset_of("JavaThread", "_current_pending_monitor");
  if (!pending) pending = vm_structs::offset_of("Thread", "_current_pending_monitor");
  const auto owner = vm_structs::offset_of("ObjectMonitor", "_owner");
  if (vm_threads_ && pending && owner) {
    pending_offset_ = *pending;
    owner_offset_ = owner;
  }
  stack_base_ = vm_structs::offset_of("JavaThread", "_stack_base");
  stack_size_ = vm_structs::offset_of("JavaThread", "_stack_size");
  by_id_ = vm_structs::offset_of("JavaThread", "_monitor_owner_id").has_value();
  jvmti_ = jvmti;
}

// The ObjectMonitor stays valid while this thread waits for it. nullopt: it was released.
std::optional<LockHolders::Owner> LockHolders::owner_word(JNIEnv* jni) const {
  Owner owner;
  const Trust trust = trust_.load(std::memory_order_relaxed);
  if (!owner_offset_ || trust == Trust::kNone) return owner;
  const auto read = [trust](std::uintptr_t at, std::int64_t offset, auto& to) {
    at += static_cast<std::uintptr_t>(offset);
    if (trust != Trust::kTrusted) return read_own_memory(at, &to, sizeof to);
    std::memcpy(&to, reinterpret_cast<const void*>(at), sizeof to);
    return true;
  };
  if (!read(vm_threads_->of(jni), pending_offset_, owner.monitor)) owner.monitor = 0;
  if (owner.monitor == 0) return owner;
  if (!read(owner.monitor, *owner_offset_, owner.word)) return Owner{};
  // Not before the layout is verified, not even for 0.
  if (owner.word == 0 && trust == Trust::kTrusted) return {};
  return owner;
}

bool LockHolders::is_thread_id(const Owner& owner) const {
  return by_id_ && owner.word >= kFirstThreadId;
}

HeldBy LockHolders::of_monitor(JNIEnv* jni, jobject object) noexcept {
  if (jvmti_ == nullptr) return {};
  try {
    const std::optional<Owner> owner = owner_word(jni);
    if (!owner) return {};
    if (owner->monitor == 0) judge_missing_monitor(jni);
    t_awaited = owner->monitor;
    const bool compared = !owner_offset_ || trust_ != Trust::kNotYet;
    const std::optional<std::int64_t> id = compared ? known(jni, *owner, object) : std::nullopt;
    return id ? holder_of_monitor(jni, *id, *owner) : query_owner(jni, *owner, object);
  } catch (const std::exception&) {
    return {};  // no memory
  }
}

HeldBy LockHolders::of_lock(JNIEnv* jni, jobject blocker) noexcept {
  if (jvmti_ == nullptr || exclusive_owner_ == nullptr || blocker == nullptr ||
      !jni->IsInstanceOf(blocker, ownable_)) {
    return {};
  }
  const LocalRef<jobject> owner(jni, jni->GetObjectField(blocker, exclusive_owner_));
  if (!owner) return {};  // released, or held in shared mode
  try {
    const std::int64_t id = fields_->id(jni, owner.get());
    learn(jni, owner.get(), id);
    jint hash = 0;
    if (jvmti_->GetObjectHashCode(blocker, &hash) != JVMTI_ERROR_NONE) return {};
    return holder(jni, id, ~static_cast<std::uint64_t>(hash), [&] {
      const LocalRef<jobject> now(jni, jni->GetObjectField(blocker, exclusive_owner_));
      return jni->IsSameObject(now.get(), owner.get()) == JNI_TRUE;
    });
  } catch (const std::exception&) {
    return {};
  }
}

// Who has waited for a lock is soon the one that others wait for: known by then, without a query.
void LockHolders::acquired(JNIEnv* jni, jthread thread, std::int64_t id) noexcept {
  if (jvmti_ == nullptr) return;
  try {
    if (trust_.load(std::memory_order_relaxed) == Trust::kNotYet && !is_virtual(jni, thread)) {
      judge_acquired(jni, id);
    }
    // Before JDK 24 a virtual thread owns monitors as its carrier.
    if (!by_id_ && (!vm_threads_ || is_virtual(jni, thread))) return;
    learn(jni, thread, id);
    if (by_id_) return;
    if (const auto locked = lock()) ids_[vm_threads_->of(jni)] = id;
  } catch (const std::exception&) {
    // No memory: the VM is asked.
  }
}

bool LockHolders::is_on_stack(std::uint64_t address, std::uintptr_t vm_thread) const {
  if (!stack_base_ || !stack_size_) return false;
  const auto word = [vm_thread](std::int64_t offset) {
    return read_own<std::uintptr_t>(vm_thread + static_cast<std::uintptr_t>(offset));
  };
  const auto base = word(*stack_base_), size = word(*stack_size_);
  return base && size && address < *base && *base - address <= *size;
}

bool LockHolders::is_owner(JNIEnv* jni, std::uint64_t word, jthread official) {
  if (by_id_) return static_cast<std::int64_t>(word) == fields_->id(jni, official);
  // While a lock is inflated from a stack lock the owner word is the address of the owner's
  // BasicLock.
  const std::uintptr_t thread = vm_threads_->of(jni, official);
  return word == thread || is_on_stack(word, thread);
}

// Verifies the word of a monitor that the calling thread waits for. `official`: JVMTI's owner; null
// for a virtual thread, which is known by its id alone, if at all: then returns that, otherwise 0.
std::int64_t LockHolders::compare(JNIEnv* jni, const Owner& owner, jthread official) {
  if (owner.word < kFirstThreadId && (owner.word != 0 || official == nullptr)) return 0;
  if (official != nullptr) {
    decide(is_owner(jni, owner.word, official));
    return 0;
  }
  const auto id = static_cast<std::int64_t>(owner.word);
  {
    const auto locked = lock();
    if (!locked || !by_id_ || !threads_.contains(id)) return 0;
  }
  decide(true);
  return id;
}

// The calling thread waits for a monitor and its JavaThread names none: the offset is wrong, unless
// the thread is virtual, whose carrier may not have the pending monitor.
void LockHolders::judge_missing_monitor(JNIEnv* jni) {
  if (!owner_offset_ || trust_ != Trust::kNotYet) return;
  LocalRef<jthread> current(jni, nullptr);
  if (jvmti_->GetCurrentThread(current.out()) == JVMTI_ERROR_NONE && current &&
      !is_virtual(jni, current.get())) {
    decide(false);
  }
}

// The calling platform thread owns the monitor that it waited for, which is not deflated meanwhile.
void LockHolders::judge_acquired(JNIEnv* jni, std::int64_t id) {
  const std::uintptr_t monitor = std::exchange(t_awaited, 0);
  if (monitor == 0) return;
  const auto word = read_own<std::uint64_t>(monitor + static_cast<std::uintptr_t>(*owner_offset_));
  decide(word == (by_id_ ? static_cast<std::uint64_t>(id) : vm_threads_->of(jni)));
}

// Two results that agree decide. A result that differs may be of a lock that went to another thread
// and back between the two readings; where the layout is wrong, none agrees.
void LockHolders::decide(bool agrees) {
  const int count = (agrees ? agreed_ : differed_).fetch_add(1) + 1;
  if (count != (agrees ? kAgreed : kDiffered) || (!agrees && agreed_ != 0)) return;
  Trust before = Trust::kNotYet;
  const Trust now = agrees ? Trust::kTrusted : Trust::kNone;
  if (!trust_.compare_exchange_strong(before, now) || agrees) return;
  log_warn(
      "a monitor's owner is not where the VM's JavaThread::_current_pending_monitor and "
      "ObjectMonitor::_owner say: the VM is asked for it each time");
}

LockHolders::Lock LockHolders::lock() {
  Lock locked(mutex_, stalled_ ? std::chrono::milliseconds(0) : kPatience);
  if (stalled_ == locked.owns_lock()) stalled_ = !locked;
  return locked;
}

std::optional<std::int64_t> LockHolders::known(JNIEnv* jni, const Owner& owner, jobject object) {
  const auto locked = lock();
  if (!locked) return {};
  if (is_thread_id(owner)) {
    const auto id = static_cast<std::int64_t>(owner.word);
    return threads_.contains(id) ? std::optional(id) : std::nullopt;
  }
  if (const auto at = ids_.find(owner.word); at != ids_.end()) {
    const auto thread = threads_.find(at->second);
    const LocalRef<jthread> alive(
        jni, thread != threads_.end() ? jni->NewLocalRef(thread->second.thread) : nullptr);
    if (alive && vm_threads_->of(jni, alive.get()) == owner.word) return at->second;
  }
  const auto at = episodes_.find(owner.monitor);
  if (at == episodes_.end() || at->second.word != owner.word ||
      monotonic_ns() - at->second.queried_ns >= kEpisodeLasts ||
      !jni->IsSameObject(at->second.object, object)) {
    return {};
  }
  return at->second.id;
}

HeldBy LockHolders::query_owner(JNIEnv* jni, const Owner& owner, jobject object) {
  const std::int64_t begin = monotonic_ns();
  const LocalFrame frame(jni, 64);
  if (!may_spend(begin) || !frame.good()) return {};
  jvmtiMonitorUsage usage{};
  const jvmtiError error = jvmti_->GetObjectMonitorUsage(object, &usage);
  spent_since(begin);
  if (error != JVMTI_ERROR_NONE) return {};
  JvmtiPtr<jthread> waiters(jvmti_), to_be_notified(jvmti_);
  *waiters.out() = usage.waiters;
  *to_be_notified.out() = usage.notify_waiters;
  std::int64_t id = 0;
  if (usage.owner != nullptr) {
    id = fields_->id(jni, usage.owner);
    learn(jni, usage.owner, id);
  } else if (!by_id_ || owner.word == 0) {
    return {};  // it was released just now
  }
  // JVMTI's answer is of a later moment than the word: read it again.
  const std::optional<Owner> now = owner_word(jni);
  const bool same = now && now->word == owner.word;
  if (same && now->monitor != 0 && trust_ == Trust::kNotYet) {
    const std::int64_t virtual_id = compare(jni, *now, usage.owner);
    if (id == 0) id = virtual_id;
  } else if (trust_ == Trust::kNotYet && now && now->monitor != 0 && usage.owner != nullptr &&
             (is_owner(jni, owner.word, usage.owner) || is_owner(jni, now->word, usage.owner))) {
    decide(true);
  }
  if (const auto locked = same && !is_thread_id(owner) ? lock() : Lock()) {
    if (id != 0 && vm_threads_ && vm_threads_->of(jni, usage.owner) == owner.word) {
      ids_[owner.word] = id;
    } else if (owner.monitor != 0) {
      if (episodes_.size() >= kMostEpisodes) forget(jni);
      Episode& episode = episodes_[owner.monitor];
      if (episode.object != nullptr) jni->DeleteWeakGlobalRef(episode.object);
      episode = {owner.word, jni->NewWeakGlobalRef(object), id, begin};
    }
  }
  if (id == 0) return same ? HeldBy{some_virtual_, kNoTrace} : HeldBy{};
  return holder_of_monitor(jni, id, owner);
}

HeldBy LockHolders::holder_of_monitor(JNIEnv* jni, std::int64_t id, const Owner& owner) {
  return holder(jni, id, owner.monitor, [&] {
    const std::optional<Owner> now = owner_word(jni);
    return now && now->word == owner.word;
  });
}

// `lock_id`: tells locks apart. The owner runs on, and may release the lock before its stack is taken:
// a stack after which it is not `still_owned` is of other code.
template <typename StillOwned>
HeldBy LockHolders::holder(JNIEnv* jni, std::int64_t id, std::uint64_t lock_id,
                           StillOwned still_owned) {
  const std::int64_t begin = monotonic_ns();
  HeldBy result;
  LocalRef<jthread> thread(jni, nullptr);
  {
    const auto locked = lock();
    if (!locked) return {};
    const auto at = threads_.find(id);
    if (at == threads_.end()) return id == 0 ? HeldBy{some_virtual_, kNoTrace} : HeldBy{};
    const Known& known = at->second;
    result.thread = known.name;
    if (known.trace != kNoTrace && known.lock_id == lock_id &&
        begin - known.trace_ns < kStackLasts) {
      result.trace = known.trace;
      return result;
    }
    *thread.out() = jni->NewLocalRef(known.thread);
  }
  if (!thread || !may_spend(begin)) return result;
  result.trace = stack_of(jni, thread.get());
  spent_since(begin);
  if (!still_owned()) result.trace = kNoTrace;
  if (const auto locked = lock()) {
    if (const auto at = threads_.find(id); at != threads_.end()) {
      at->second.trace = result.trace;
      at->second.trace_ns = begin;
      at->second.lock_id = lock_id;
    }
  }
  return result;
}

void LockHolders::learn(JNIEnv* jni, jthread thread, std::int64_t id) {
  {
    const auto locked = lock();
    if (!locked || threads_.contains(id)) return;
  }
  const std::string name = fields_->name(jni, thread);
  const ThreadNumber number =
      name.empty() && is_virtual(jni, thread) ? some_virtual_ : totals_.holder_number(name);
  const auto locked = lock();
  if (!locked) return;
  if (threads_.size() >= kMostThreads) forget(jni);
  Known& known = threads_[id];
  if (known.thread == nullptr) known = {jni->NewWeakGlobalRef(thread), number, kNoTrace, 0};
}

// Lock held.
void LockHolders::forget(JNIEnv* jni) {
  for (const auto& [id, known] : threads_) {
    if (known.thread != nullptr) jni->DeleteWeakGlobalRef(known.thread);
  }
  for (const auto& [monitor, episode] : episodes_) {
    if (episode.object != nullptr) jni->DeleteWeakGlobalRef(episode.object);
  }
  threads_.clear();
  ids_.clear();
  episodes_.clear();
}

TraceNumber LockHolders::stack_of(JNIEnv* jni, jthread thread) {
  const Reclamation::Reading reading;  // keeps names valid until the stack is interned
  ShownStack stack(TopFrames::kTracker, kMaxTreeDepth + 1);
  if (naming_->stack_of(jvmti_, jni, thread, stack) != JVMTI_ERROR_NONE) return kNoTrace;
  return traces_->number_of(stack.frames());
}

bool LockHolders::may_spend(std::int64_t now_ns) const {
  return spent_ns_.load(std::memory_order_relaxed) <
         kSpentAtOnce + (now_ns - started_ns_.load(std::memory_order_relaxed)) / kShare;
}

void LockHolders::spent_since(std::int64_t begin_ns) {
  spent_ns_.fetch_add(std::min(monotonic_ns() - begin_ns, kLongestQuery),
                      std::memory_order_relaxed);
}

}  // namespace ddm
