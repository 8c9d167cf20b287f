// Tracking of scopes and listeners, on request of the program.
#include <chrono>
#include <utility>

#include "allocations/store/small_sites.h"
#include "allocations/tracking.h"
#include "core/log.h"
#include "vm/class_changes/class_archive.h"

namespace ddm {

std::string Tracking::count_scopes(JNIEnv* jni) {
  const auto why_not = [this]() -> std::string {
    if (engine_ != &bci_engine_)
      return "it tracks with engine=vm; engine=bci counts the same each time";
    if (!sites_missing_.empty()) return sites_missing_;
    return options_.per_thread_sites ? "it was loaded as libhprof.so" : "";
  };
  TrackingOptions wanted;
  {
    const std::lock_guard lock(mutex_);
    if (on_) return why_not();
    wanted = options_;
  }
  wanted.engine = EngineKind::kBci;
  wanted.engine_chosen = true;
  wanted.interval = 0;
  wanted.sites = kMaxTraces;  // without room for its stacks a test has no figures
  use(jni, wanted);
  const std::string error = start(jni);
  if (!error.empty()) return error;
  const std::lock_guard lock(mutex_);
  return why_not();
}

std::string Tracking::prepare_listener(JNIEnv* jni) {
  const std::lock_guard lock(mutex_);
  if (const std::string why = why_unchangeable(); !why.empty()) return why;
  // Tracking may already be on, with classes rewritten without these hooks.
  bci_engine_.enable_constructed_hooks();
  return bci_engine_.prepare(jni);
}

std::string Tracking::start_listener(JNIEnv* jni, jclass listener) {
  if (const std::string why_not = prepare_listener(jni); !why_not.empty()) return why_not;
  if (const std::string why_not = count_scopes(jni); !why_not.empty()) return why_not;
  return recorder_.listener().start(jni, listener);
}

ScopeNumber Tracking::begin_scope(JNIEnv* jni, ScopeRoot root) {
  std::shared_ptr<Sites> sites = books_.shared_sites();
  if (!on_ || !sites) return 0;
  return recorder_.begin_scope(jni, std::move(root), std::move(sites));
}

bool Tracking::follow_scopes(JNIEnv* jni) {
  const std::lock_guard lock(mutex_);
  if (!on_) return false;
  options_.live = 1;  // with live=1/N there are estimates only, to which no test can be held
  follow_live(jni);
  return live_.on();
}

std::optional<LiveBySite> Tracking::live_by_site() {
  constexpr std::chrono::seconds kCollectionPatience{10};
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<Sites> sites = books_.shared_sites();
  if (!live_.on() || !sites) return std::nullopt;
  if (!live_.settle(kCollectionPatience)) {
    log_warn("what is alive is not known: it takes too long to find out");
    return std::nullopt;
  }
  books_.drain_journals();
  SiteReadings readings = sites->room();
  const std::int64_t now_ms = live_.followed_ms();
  std::uint32_t one_in = 1;
  {
    const auto held = sites->hold();
    readings = sites->sums(std::move(readings));
    if (const LiveTable* table = sites->live()) one_in = table->one_in();
  }
  SmallSites small(one_in, now_ms);
  for (std::size_t i = 0; i < readings.sums.size(); ++i) {
    const LiveSum live = readings.live_of(i);
    if (small.has(live)) small.add(readings.sums[i].class_id, live);
  }
  OwnLives own(now_ms);
  LiveBySite result;
  for (std::size_t i = 0; i < readings.sums.size(); ++i) {
    const LiveSum live = readings.live_of(i);
    const SiteLife life =
        small.has(live) ? small.share(readings.sums[i].class_id, live).life : own.take(live);
    if (life.live_count > 0) result[readings.sums[i].key()] = {life.live_count, life.live_bytes};
  }
  return result;
}

}  // namespace ddm
