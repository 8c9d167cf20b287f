// Tracking's data for reports and for the summary of a ring file. All figures of a report are of
// one moment, under the lock of start() and stop().
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <utility>

#include "allocations/store/alloc_ring.h"
#include "allocations/tracking.h"
#include "core/clocks.h"
#include "core/log.h"

namespace ddm {

void Tracking::remove_ring_file() {
  if (ring_file_) ring_file_->remove();
}

void Tracking::refresh_ring_file() {
  // If the lock is held for a start, stop or report, the summary is updated next time.
  const std::unique_lock lock(mutex_, std::try_to_lock);
  // From JDK 26 on threads end unseen once the VM halts: their counters are gone.
  if (lock.owns_lock() && on_ && !halts_ && !vm_ends_) write_ring_facts();
}

void Tracking::write_ring_facts() {
  if (!ring_file_ || closed_) return;
  const auto put = [](std::string_view text, auto& to) {
    std::copy_n(text.begin(), std::min(text.size(), to.size() - 1), to.begin());
  };
  const BookTotals totals = books_.snapshot().totals();
  RingFacts facts;
  facts.updated_ms = epoch_ms();
  facts.tracked_ms = tracked_ms();
  facts.seen = totals.seen;
  facts.seen_bytes = totals.seen_bytes;
  for (const auto& [why, count] : recorder_.dropped()) facts.dropped += count;
  if (totals.allocated_bytes && interval_ == 0) {
    facts.unattributed_bytes = *totals.allocated_bytes - totals.seen_bytes;
    facts.virtual_stack_bytes_plus_1 = totals.carriers_unattributed_bytes + 1;
  }
  if (engine_ != nullptr) {
    facts.classes_rewritten = engine_->counters(nullptr).classes_rewritten;
    put(engine_->name(), facts.engine);
  }
  put(recorder_.stacks().name(), facts.walker);
  put(facts_.vm, facts.vm);
  put(facts_.app, facts.app);
  facts.interval = interval_;
  ring_file_->write_facts(facts);
}

ReportData Tracking::records() const {
  const std::lock_guard lock(mutex_);
  ReportData data;
  data.names = &stacks_.names();
  data.names_held = stacks_.names().hold();
  if (AllocRing* const ring = ring_.get()) data.records = ring->snapshot();
  return data;
}

bool Tracking::add_to(ReportData& data, JNIEnv* jni) {
  const auto lock = lock_for_report(mutex_, jni);
  if (!lock) return false;
  data.tracking_on = on_;
  add_records(data, jni);
  add_engine(data.summary, jni);
  return true;
}

void Tracking::add_records(ReportData& data, JNIEnv* jni) {
  // How long a report waits for the live figures of the last collection.
  constexpr std::chrono::seconds kSweepPatience{2};
  ReportSummary& summary = data.summary;
  AllocRing* const ring = ring_.get();
  if (jni != nullptr && !live_.settle(kSweepPatience)) {
    log_info("live figures are not those of the last collection");
  }
  if (on_) books_.poll_times(tracked_ms());
  const bool threads_end_unseen = vm_ends_ && jni != nullptr;
  // An exit's report is the last, and waits for nobody.
  const bool drop_names =
      !vm_ends_ && jni != nullptr && thread_names_.prepare_read(stacks_.reclamation());
  if (threads_end_unseen) books_.part_from_ended(jni);
  std::optional<RingSnapshot> recent;
  BooksSnapshot moment = books_.snapshot([ring, &recent] {
    if (ring != nullptr) recent.emplace(*ring);
  });
  if (recent) data.records = recent->records();
  recent.reset();
  if (threads_end_unseen) moment.distrust(books_.part_from_ended(jni));
  moment.count_late(data.records, live_.following());
  BookTotals totals = moment.totals();
  data.sites = moment.sites(totals, live_.followed_ms());
  std::unordered_set<std::int64_t> wanted = data.records.thread_ids();
  for (const ThreadBytes& thread : totals.threads) wanted.insert(thread.thread_id);
  data.thread_names =
      jni != nullptr ? thread_names_.read(jni, wanted, drop_names) : thread_names_.known();
  for (ThreadBytes& thread : totals.threads) {
    const auto name = data.thread_names.find(thread.thread_id);
    // Sums of several threads have a name of their own, and the id of a thread that has none yet.
    if (thread.name.empty() && name != data.thread_names.end()) thread.name = name->second;
  }

  summary.engine = engine_ != nullptr ? engine_->name() : "";
  summary.walker = recorder_.stacks().name();
  summary.walks = recorder_.stacks().counts();
  summary.seen = totals.seen;
  summary.seen_bytes = totals.seen_bytes;
  summary.interval = interval_;
  summary.samples = totals.samples;
  summary.allocated_bytes = totals.allocated_bytes;
  if (totals.allocated_bytes && !summary.sampled()) {
    summary.unattributed_bytes = *totals.allocated_bytes - totals.seen_bytes;
    summary.virtual_thread_stack_bytes = totals.carriers_unattributed_bytes;
  }
  summary.sites_missing = ever_on_ ? sites_missing_ : "tracking was never on";
  summary.live_missing = not_followed_;
  if (const auto gc = moment.live_gc()) summary.live = live_.summary(*gc, data.sites.life());
  summary.threads = std::move(totals.threads);
  summary.dropped_reasons = recorder_.dropped();
  summary.dropped = totals.dropped;
  summary.tracked_ms = tracked_ms();
  summary.period = period_;
}

void Tracking::add_engine(ReportSummary& summary, JNIEnv* jni) {
  if (engine_ == nullptr) return;
  EngineCounters counters = engine_->counters(jni);
  summary.classes_rewritten = counters.classes_rewritten;
  summary.classes_skipped = std::move(counters.classes_skipped);
  summary.methods_skipped = std::move(counters.methods_skipped);
  summary.methods_running = std::move(counters.methods_running);
}

}  // namespace ddm
