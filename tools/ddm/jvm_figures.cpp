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

constexpr std::uint64_t kMaxOnWire = 0x7fffffff;  // what HPIF says of any larger figure

// Heap 1, or the only one: our agent also lists the VM's memory pools. Null: there is none.
const HeapInfo::Heap* java_heap(const HeapInfo& info) {
  for (const HeapInfo::Heap& heap : info.heaps) {
    if (heap.id == kJavaHeap) return &heap;
  }
  return info.heaps.size() == 1 ? &info.heaps.front() : nullptr;
}

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

}  // namespace ddm
