#include "jvm_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>

#include "containers/published.h"
#include "core/proc_stat.h"
#include "json_values.h"
#include "report/report_words.h"
#include "report_fetch.h"
#include "switched_options.h"
#include "target.h"
#include "wire/chunks/report_chunk.h"
#include "wire/chunks/thread_chunks.h"

namespace ddm {
namespace {

std::int64_t as_signed(std::uint64_t number) { return static_cast<std::int64_t>(number); }

constexpr std::uint64_t kMaxOnWire = 0x7fffffff;  // what HPIF says of any larger figure

// Heap 1, or the only one: our agent also lists the VM's memory pools. Null: there is none.
const HeapInfo::Heap* java_heap(const HeapInfo& info) {
  for (const HeapInfo::Heap& heap : info.heaps) {
    if (heap.id == kJavaHeap) return &heap;
  }
  return info.heaps.size() == 1 ? &info.heaps.front() : nullptr;
}

constexpr std::chrono::seconds kReplyTime{2};
constexpr std::chrono::seconds kRetryAfter{10};
constexpr std::size_t kMaxParallel = 8;

}  // namespace

Result<std::optional<HeapUsage>> heap_usage(DdmClient& client) {
  if (client.offers(kHeapUsageFeature)) {
    auto usage = client.get<HeapUsage>({HeapUsage::kType, {}});
    if (!usage) return usage.error();
    return std::optional(std::move(*usage));
  }
  const auto info = client.get<HeapInfo>(to_chunk(HeapInfoRequest{HeapInfoWhen::kNow}));
  if (!info) return info.error();
  const HeapInfo::Heap* const whole = java_heap(*info);
  if (whole == nullptr) return std::optional<HeapUsage>();
  return std::optional(
      HeapUsage{whole->max_bytes, whole->current_bytes, whole->allocated_bytes, {}});
}

std::optional<std::uint64_t> heap_max(const HeapUsage& usage) {
  if (usage.max_bytes == 0 || usage.max_bytes == kMaxOnWire) return {};
  return usage.max_bytes;
}

Result<JvmFigures> jvm_figures(DdmClient& client) {
  JvmFigures figures;
  const auto usage = heap_usage(client);
  if (!usage) return usage.error();
  if (*usage) {
    figures.heap_used = as_signed((*usage)->used_bytes);
    if (const auto max = heap_max(**usage)) figures.heap_max = as_signed(*max);
    for (const HeapUsage::Collector& collector : (*usage)->collectors) {
      figures.collections = figures.collections.value_or(0) + as_signed(collector.collections);
      figures.collection_ms = figures.collection_ms.value_or(0) + as_signed(collector.millis);
    }
  }
  if (const auto table = client.get<ThreadStatusTable>(to_chunk(ThreadStatusRequest{}))) {
    figures.threads = as_signed(table->entries.size());
  }
  figures.tracking = is_tracking(client);
  if (!client.offers(kReportFeature)) return figures;
  const auto summary = fetch_summary(client);
  if (!summary) return summary.error();
  figures.period = number_of(*summary, "period");
  figures.seen = number_of(*summary, "seen");
  figures.seen_bytes = number_of(*summary, "seen_bytes");
  if (summary->contains("live_bytes")) figures.live_bytes = number_of(*summary, "live_bytes");
  return figures;
}

Json json_of_rate(const std::optional<double>& bytes_per_second) {
  return bytes_per_second ? Json(static_cast<std::int64_t>(*bytes_per_second)) : Json(nullptr);
}

std::optional<double> bytes_per_second(const std::optional<JvmFigures>& before,
                                       const JvmFigures& now,
                                       std::chrono::duration<double> passed) {
  if (!now.tracking) return {};
  if (!before || before->period != now.period) return {};
  return static_cast<double>(now.seen_bytes - before->seen_bytes) / std::max(passed.count(), 0.001);
}

std::string heap_bytes(std::uint64_t bytes) {
  return bytes == kMaxOnWire ? ">= 2 GiB" : human_bytes(bytes);
}

WatchedJvm JvmWatch::read_one(State& state) {
  WatchedJvm jvm{state.target.pid, state.target.app, state.target.vm, {}, {}, 0, {}};
  if (Clock::now() < state.retry_at) return jvm;
  const auto fail = [&] {
    state.client.reset();
    state.before.reset();
    state.retry_at = Clock::now() + kRetryAfter;
    return jvm;
  };
  if (!state.client) {
    const auto address = find_target(std::to_string(state.target.pid));
    if (!address) return fail();
    auto client = DdmClient::connect(*address, kReplyTime);
    if (!client) return fail();
    state.client.emplace(std::move(*client));
  }
  state.client->cancel_when([until = Clock::now() + kReplyTime] { return Clock::now() > until; });
  auto figures = jvm_figures(*state.client);
  state.client->take_events();
  if (!figures) return fail();
  const auto now = Clock::now();
  const std::chrono::duration<double> passed = now - state.at;
  const auto stat = read_proc_stat(fmt::format("/proc/{}/stat", state.target.pid));
  const std::int64_t ticks = stat ? stat->cpu_ticks : 0;
  if (state.before) {
    jvm.cpu_percent = 100 * cpu_seconds(ticks - state.cpu_ticks) / std::max(passed.count(), 0.001);
  }
  jvm.agent_cpu_seconds = state.agent_cpu.read(state.target.pid);
  jvm.bytes_per_second = bytes_per_second(state.before, *figures, passed);
  state.before = *figures;
  state.cpu_ticks = ticks;
  state.at = now;
  jvm.figures = std::move(*figures);
  return jvm;
}

std::vector<WatchedJvm> JvmWatch::read() {
  const std::lock_guard lock(mutex_);
  if (Clock::now() - last_read_at_ < fresh_for_) return last_reading_;
  std::map<pid_t, State> current;
  std::vector<State*> all;
  for (Target& target : all_targets()) {
    auto before = states_.find(target.pid);
    State state;
    // Another program may have the pid of one that has ended.
    if (before != states_.end() && before->second.target.start == target.start) {
      state = std::move(before->second);
    }
    state.target = std::move(target);
    const pid_t pid = state.target.pid;
    all.push_back(&current.insert_or_assign(pid, std::move(state)).first->second);
  }
  states_ = std::move(current);
  last_reading_.assign(all.size(), {});
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < all.size(); i = next++) last_reading_[i] = read_one(*all[i]);
  };
  std::vector<std::thread> helpers;
  try {
    while (helpers.size() + 1 < std::min(kMaxParallel, all.size())) helpers.emplace_back(work);
  } catch (const std::system_error&) {  // continues with fewer threads
  }
  work();
  for (std::thread& helper : helpers) helper.join();
  last_read_at_ = Clock::now();
  return last_reading_;
}

}  // namespace ddm
