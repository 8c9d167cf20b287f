#include "allocations/capture/live_objects.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "allocations/capture/plain_handles.h"
#include "core/clocks.h"
#include "core/exit_limits.h"
#include "core/log.h"
#include "core/random.h"
#include "vm/jvmti_memory.h"
#include "vm/value_objects.h"

namespace ddm {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kFollowersPatience{200};
constexpr milliseconds kThreadPatience{2'000};
constexpr milliseconds kRest{1'000};          // until spare memory is released without a collection
constexpr std::size_t kManyHandles = 65'536;  // half a megabyte in the VM
constexpr std::size_t kSitesAtOnce = 4096;    // under a lock that recording threads may need

// By Reason.
constexpr std::array kNotFollowedTexts = {"no room for more objects", "no memory",
                                          "unknown kind of handle", "value class"};

}  // namespace

// A thread that the VM holds up, for a long pause or a debugger, may still be sweeping when stop()
// has given up waiting for it, even when the next watch() has been queued.
struct LiveObjects::Watch {
  const std::shared_ptr<Sites> sites;
  const std::shared_ptr<LiveTable> table;
  const std::int64_t began_ms;
  std::atomic<bool> stopping{false};
};

LiveObjects::LiveObjects(jvmtiEnv* jvmti, ThreadBooks& books, Reclamation& reclamation)
    : jvmti_(jvmti), books_(books), reclamation_(reclamation), thread_(jvmti, "ddmagent-live") {
  thread_.end_when_idle();
}

std::string LiveObjects::start(JNIEnv* jni, const AllocationSampling& sampling,
                               std::uint32_t one_in) {
  std::shared_ptr<Sites> sites = books_.shared_sites();
  if (!sites) return "live= needs sites, and there are none";
  JavaVM* vm = nullptr;
  if (bell_ == nullptr && jni->GetJavaVM(&vm) == JNI_OK) bell_ = GcBell::create(vm);
  std::shared_ptr<LiveTable> table = LiveTable::create(sites->table().size(), sampling, one_in);
  if (!table) return "no memory to follow live objects";
  if (bell_ == nullptr || !bell_->switch_to(true)) return "the VM tells of no collections";
  freed_memory_.forget();  // the memory is needed again
  most_handles_ = 0;
  sites_ = std::move(sites);
  one_in_ = one_in;
  began_ms_ = coarse_epoch_ms();
  ended_ms_ = 0;
  // The tag bits of the VM's weak handles are taken from an object of the agent.
  const LocalRef<jclass> some(jni, jni->FindClass("java/lang/Object"));
  const jweak weak = some ? jni->NewWeakGlobalRef(some.get()) : nullptr;
  tag_ = reinterpret_cast<std::uintptr_t>(weak) & ((1u << kTagBits) - 1);
  if (weak != nullptr) jni->DeleteWeakGlobalRef(weak);
  clear_exception(jni);
  value_objects_ = has_value_objects(jvmti_);
  plain_handles_ = some && has_plain_handles(jni, some.get());
  for (auto& n : not_followed_) n = 0;
  swept_gc_ = first_gc_ = bell_->count();
  LiveTable* const shown = table.get();
  shown->swept(swept_gc_);
  const std::shared_ptr<Watch> watch(new Watch{sites_, table, began_ms_});
  if (std::string error = begin_watch(jni, watch); !error.empty()) {
    bell_->switch_to(false);
    sites_.reset();
    return error;
  }
  {
    const auto held = sites_->hold();
    sites_->follow(std::move(table));
  }
  table_.store(shown, std::memory_order_release);
  return "";
}

void LiveObjects::stop(JNIEnv* jni, Figures figures) {
  if (!sites_) return;
  if (on()) {
    if (figures == Figures::kKeep) settle(kThreadPatience);
    table_.store(nullptr, std::memory_order_release);
    const auto table = end_watch(kThreadPatience);
    bell_->switch_to(false);
    // Threads inside record() have put their handles in their journals afterwards.
    if (!reclamation_.wait_for_readers(kFollowersPatience)) {
      log_info("a thread is held up where it follows an object");
    }
    books_.drain_journals();
    remove_handles(jni, *sites_, *table);
    if (most_handles_ >= kManyHandles) freed_memory_.expect();
    ended_ms_ = coarse_epoch_ms();
  }
  if (figures == Figures::kKeep) return;
  std::shared_ptr<LiveTable> table;
  {
    const auto held = sites_->hold();
    table = sites_->follow(nullptr);
  }
  if (table) remove_handles(jni, *sites_, *table);
  reclamation_.retire(std::move(table));
  reclamation_.wait_for_readers(kFollowersPatience);
  sites_.reset();
}

void LiveObjects::remove_handles(JNIEnv* jni, Sites& sites, LiveTable& table) {
  LiveStore::Chunks chunks, spare;
  std::vector<std::uint64_t> strays;
  {
    const auto held = sites.hold();
    chunks = table.take();
    table.give_back({});
    spare = table.take_spare();
    strays = sites.take_strays();
  }
  chunks.for_each([&](const LiveObject& one) { jni->DeleteWeakGlobalRef(weak(one.handle)); });
  delete_handles(jni, strays);
  while (dead_.any()) delete_some_handles(jni);
  dead_.shrink();
  most_handles_ = std::max(most_handles_.load(), chunks.size());
}

void LiveObjects::delete_handles(JNIEnv* jni, std::span<const std::uint64_t> handles) const {
  for (const std::uint64_t handle : handles) jni->DeleteWeakGlobalRef(weak(handle));
}

void LiveObjects::delete_some_handles(JNIEnv* jni) noexcept {
  DeadHandles::Buffer buffer;
  delete_handles(jni, dead_.take(buffer));
}

void LiveObjects::close() {
  freed_memory_.forget();
  {
    const std::lock_guard lock(mutex_);
    if (watch_) watch_->stopping = true;
  }
  if (bell_ != nullptr) bell_->ring();
  thread_.stop(exit_limits::kSweepLimit);
}

std::string LiveObjects::begin_watch(JNIEnv* jni, std::shared_ptr<Watch> watch) {
  {
    const std::lock_guard lock(mutex_);
    ++watches_;
    watch_ = watch;
  }
  // Goes with the task, whether that ran or not.
  const std::shared_ptr<void> watching(nullptr, [this](std::nullptr_t) {
    const std::lock_guard lock(mutex_);
    --watches_;
    watch_ended_.notify_all();
  });
  return thread_.run_soon(jni, [this, watching, watch = std::move(watch)](JNIEnv* on_thread) {
    this->watch(on_thread, *watch);
  });
}

std::shared_ptr<LiveTable> LiveObjects::end_watch(milliseconds patience) {
  std::unique_lock lock(mutex_);
  watch_->stopping = true;
  bell_->ring();
  watch_ended_.wait_for(lock, patience, [this] { return watches_ == 0; });
  return std::exchange(watch_, nullptr)->table;
}

// One of each N consecutive objects, at a random position, since programs are periodic.
bool LiveObjects::is_sampled() const {
  thread_local std::uint32_t at = 0, pick = 0;
  thread_local Random random(&at);
  if (at == 0) pick = static_cast<std::uint32_t>((random.next() >> 32) * one_in_ >> 32);
  const bool is_chosen = at == pick;
  at = at + 1 < one_in_ ? at + 1 : 0;
  return is_chosen;
}

LiveObjects::Mark LiveObjects::follow(JNIEnv* jni, jobject object, std::int64_t time_ms,
                                      const LiveTable& table) noexcept {
  const std::uint32_t born = BirthTime::of(time_ms - began_ms_);
  // Read before the handle exists: a pause in between is one that the object survives.
  const std::uint64_t gc = bell_->count();
  if (object == nullptr || (value_objects_ && !has_identity(jni, object))) [[unlikely]] {
    not_followed(Reason::kNoIdentity);
    return {};
  }
  if (one_in_ > 1 && !is_sampled()) return {0, born, gc};
  if (table.full()) [[unlikely]] {
    not_followed(Reason::kNoRoom);
    return {};
  }
  const jweak handle = jni->NewWeakGlobalRef(object);
  if (handle == nullptr) [[unlikely]] {
    clear_exception(jni);
    not_followed(Reason::kNoMemory);
    return {};
  }
  const auto bits = reinterpret_cast<std::uintptr_t>(handle);
  const std::uint64_t number = bits >> kTagBits;
  if (!WeakHandle::fits(number) || weak(number) != handle) [[unlikely]] {
    jni->DeleteWeakGlobalRef(handle);
    not_followed(Reason::kForeignHandle);
    return {};
  }
  return {number, born, gc};
}

bool LiveObjects::is_dead(JNIEnv* jni, std::uint64_t number) const {
  return plain_handles_ ? word_behind(weak(number)) == 0
                        : jni->IsSameObject(weak(number), nullptr) == JNI_TRUE;
}

// Sweeps take at most half of this thread's time. The next one covers collections during a sweep.
void LiveObjects::watch(JNIEnv* jni, Watch& watch) {
  while (!watch.stopping) {
    if (swept_gc_ == bell_->count()) {
      bell_->wait_for(kRest);
      if (swept_gc_ != bell_->count() || watch.stopping) continue;
      wait_for_gc(jni, watch);
      bell_->wait();
      continue;
    }
    const auto begin = Clock::now();
    sweep(jni, watch);
    const auto end = Clock::now();
    const auto rest = end + (end - begin);
    while (!watch.stopping && !waiters_ && Clock::now() < rest) {
      bell_->wait_for(
          std::max(milliseconds(1), std::chrono::duration_cast<milliseconds>(rest - Clock::now())));
    }
  }
  // After a stop() that has given up waiting, nobody else deletes what the last sweep had taken out.
  // At the VM's death following does not stop, and handles end with the VM.
  if (table_ != watch.table.get()) remove_handles(jni, *watch.sites, *watch.table);
}

// Returns handles that the program's threads have not returned, and the spare memory.
void LiveObjects::wait_for_gc(JNIEnv* jni, Watch& watch) {
  while (!watch.stopping && dead_.any()) delete_some_handles(jni);
  dead_.shrink();
  LiveStore::Chunks spare;
  const auto held = watch.sites->hold();
  spare = watch.table->take_spare();
}

void LiveObjects::sweep(JNIEnv* jni, Watch& watch) {
  const std::lock_guard out(chunks_out_);
  const std::uint64_t gc = bell_->count();
  books_.drain_journals();
  Sites& sites = *watch.sites;
  LiveTable& table = *watch.table;
  LiveStore::Chunks chunks;
  std::vector<std::uint64_t> strays;
  {
    const auto held = sites.hold();
    chunks = table.take();
    strays = sites.take_strays();
  }
  delete_handles(jni, strays);
  most_handles_ = std::max(most_handles_.load(), chunks.size());
  const std::uint32_t now = BirthTime::of(coarse_epoch_ms() - watch.began_ms);
  table.begin_ages(gc);
  DeadHandles::Buffer dead;
  std::size_t count = 0;
  const auto put_away = [&] {
    const std::span<const std::uint64_t> some(dead.data(), std::exchange(count, 0));
    if (!dead_.add(some)) delete_handles(jni, some);
  };
  const auto stays = [&](const LiveObject& one) {
    if (watch.stopping.load(std::memory_order_relaxed)) return true;
    if (!is_dead(jni, one.handle)) {
      table.count_age(one);
      return true;
    }
    dead[count++] = one.handle;
    if (count == dead.size()) put_away();
    table.died(one, now);
    return false;
  };
  chunks.sift(gc, stays, [&](SiteNumber site) { table.prefetch_deaths(site); });
  put_away();
  const bool whole = !watch.stopping;
  if (!whole) {
    table.begin_ages(table.gc());
    table.count_ages(chunks);
  }
  // Objects added during the sweep; later ones are left for give_back_swept(), under the lock.
  LiveStore::Chunks added;
  {
    const auto held = sites.hold();
    added = table.take();
  }
  table.count_ages(added);
  chunks.append(std::move(added));
  {
    const auto held = sites.hold();
    table.give_back_swept(std::move(chunks));
    table.note_all(BirthTime::ms(now));
  }
  note_peaks(watch);
  if (!whole) return;
  const std::lock_guard lock(mutex_);
  swept_gc_ = gc;
  swept_.notify_all();
}

void LiveObjects::hold_strongly(JNIEnv* jni, DumpedObjects& held) {
  if (!on()) return;
  if (bell_->count() == count_at_end_) bell_->collected();
  const std::lock_guard out(chunks_out_);
  LiveStore::Chunks all;
  // Objects allocated meanwhile, dead or alive, are held too: a few rounds, until few are new.
  constexpr int kRounds = 3;
  constexpr std::size_t kFew = 256;
  for (int round = 0; round < kRounds; ++round) {
    books_.drain_journals();
    LiveStore::Chunks fresh;
    {
      const auto guard = sites_->hold();
      fresh = sites_->live()->take();
    }
    const std::size_t count = fresh.size();
    if (round == 0) held.expect(count + count / 16 + kFew);
    hold_strongly(jni, fresh, held);
    all.append(std::move(fresh));
    if (count <= kFew) break;
  }
  const auto guard = sites_->hold();
  sites_->live()->give_back(std::move(all));
}

void LiveObjects::hold_strongly(JNIEnv* jni, const LiveStore::Chunks& chunks,
                                DumpedObjects& held) const {
  chunks.for_each([&](const LiveObject& one) {
    const jobject strong = jni->NewGlobalRef(weak(one.handle));
    if (strong == nullptr) return;  // the object is dead, or no memory
    if (!held.add(reinterpret_cast<std::uintptr_t>(strong), sites_->table()[one.site].trace)) {
      jni->DeleteGlobalRef(strong);
    }
  });
}

void LiveObjects::note_peaks(const Watch& watch) {
  std::vector<SiteNumber> sites;
  {
    const auto held = watch.sites->hold();
    watch.sites->table().for_each([&](SiteNumber site, const SiteSum&) { sites.push_back(site); });
  }
  for (std::size_t i = 0; i < sites.size() && !watch.stopping;) {
    const auto held = watch.sites->hold();
    const std::size_t end = std::min(i + kSitesAtOnce, sites.size());
    for (; i < end; ++i) watch.table->note(sites[i]);
  }
}

bool LiveObjects::settle(milliseconds patience) {
  if (!on()) return true;
  const std::uint64_t gc = bell_->count();
  std::unique_lock lock(mutex_);
  if (swept_gc_ >= gc) return true;
  ++waiters_;
  bell_->ring();
  const bool done = swept_.wait_for(lock, patience, [&] { return swept_gc_ >= gc; });
  --waiters_;
  return done;
}

// Births are counted for 99 days, and the clock may be set back.
std::int64_t LiveObjects::followed_ms() const {
  const std::int64_t ms = (on() ? coarse_epoch_ms() : ended_ms_) - began_ms_;
  return std::clamp<std::int64_t>(ms, 0, BirthTime::ms(BirthTime::kMost));
}

LiveSummary LiveObjects::summary(std::uint64_t gc, const SiteLife& all) const {
  LiveSummary summary;
  summary.gc = gc;
  summary.collections = gc - std::min<std::uint64_t>(first_gc_, gc);
  summary.count = all.live_count;
  summary.bytes = all.live_bytes;
  summary.one_in = one_in_;
  summary.followed_ms = followed_ms();
  for (std::size_t i = 0; i < not_followed_.size(); ++i) {
    const std::int64_t n = not_followed_[i].load(std::memory_order_relaxed);
    if (n > 0) summary.not_followed[kNotFollowedTexts[i]] = n;
  }
  const auto held = sites_->hold();
  if (const LiveTable* table = sites_->live()) summary.top_ms = table->top_ms();
  return summary;
}

}  // namespace ddm
