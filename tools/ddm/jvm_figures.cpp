#include "jvm_figures.h"

#include <algorithm>

#include "json_values.h"
#include "report/report_words.h"
#include "report_fetch.h"
#include "switched_options.h"
#include "wire/chunks/report_chunk.h"
#include "wire/chunks/thread_chunks.h"

namespace ddm {
namespace {

std::int64_t as_signed(std::uint64_t number) { return static_cast<std::int64_t>(number); }

std::optional<Error> add_usage(DdmClient& client, JvmFigures& figures) {
  const auto usage = client.get<HeapUsage>({HeapUsage::kType, {}});
  if (!usage) return usage.error();
  figures.heap_used = as_signed(usage->used_bytes);
  if (usage->max_bytes != 0) figures.heap_max = as_signed(usage->max_bytes);
  if (usage->collectors.empty()) return {};
  figures.collections = figures.collection_ms = 0;
  for (const HeapUsage::Collector& collector : usage->collectors) {
    *figures.collections += as_signed(collector.collections);
    *figures.collection_ms += as_signed(collector.millis);
  }
  return {};
}

// Without figures that HPIF cannot show: it ends at 2 GiB.
std::optional<Error> add_heap_info(DdmClient& client, JvmFigures& figures) {
  const auto info = client.get<HeapInfo>(to_chunk(HeapInfoRequest{HeapInfoWhen::kNow}));
  if (!info) return info.error();
  if (const HeapInfo::Heap* const whole = java_heap(*info)) {
    figures.heap_used = as_signed(whole->allocated_bytes);
    if (whole->max_bytes != 0) figures.heap_max = as_signed(whole->max_bytes);
  }
  return {};
}

}  // namespace

Result<JvmFigures> jvm_figures(DdmClient& client) {
  JvmFigures figures;
  const auto failed = client.offers(kHeapUsageFeature) ? add_usage(client, figures)
                                                       : add_heap_info(client, figures);
  if (failed) return *failed;
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

const HeapInfo::Heap* java_heap(const HeapInfo& info) {
  for (const HeapInfo::Heap& heap : info.heaps) {
    if (heap.id == kJavaHeap) return &heap;
  }
  return info.heaps.size() == 1 ? &info.heaps.front() : nullptr;
}

std::string heap_bytes(std::uint64_t bytes) {
  constexpr std::uint64_t kMaxOnWire = 0x7fffffff;
  if (bytes >= kMaxOnWire) return ">= 2 GiB";
  return human_bytes(bytes);
}

}  // namespace ddm
