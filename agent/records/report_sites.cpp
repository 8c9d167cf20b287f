// Recorded allocations added up by site and by thread.
#include "records/report_sites.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "records/weighted_sum.h"

namespace ddm {
namespace {

struct SiteKey {
  std::uint64_t class_and_method = 0;
  std::int64_t line = 0;  // one above any line: no frame
  friend bool operator==(const SiteKey&, const SiteKey&) = default;
};

struct SiteKeyHash {
  std::size_t operator()(const SiteKey& key) const {
    return (key.class_and_method * 0x9e3779b97f4a7c15u) ^ static_cast<std::uint64_t>(key.line);
  }
};

constexpr std::int64_t kNoFrame = 1 << 20;

auto identity(const AllocSite& site) {
  return std::tuple(site.class_id, site.has_frame, site.method, site.line);
}

}  // namespace

std::vector<AllocSite> sites_of(const RecordSet& records, ReportNames& names) {
  std::vector<AllocSite> sites;
  std::vector<WeightedSum> sums;
  std::unordered_map<SiteKey, std::size_t, SiteKeyHash> index;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto [record, frames] = records[i];
    AllocSite site;
    site.class_id = record.class_id;
    site.has_frame = !frames.empty();
    if (site.has_frame) {
      site.method = frames[0].method;
      site.line = line_of(*names.method(site.method).entry, frames[0].bci);
    }
    const SiteKey key{std::uint64_t{site.class_id} << 32 | site.method,
                      site.has_frame ? site.line : kNoFrame};
    const auto [at, fresh] = index.emplace(key, sites.size());
    if (fresh) {
      sites.push_back(site);
      sums.emplace_back();
    }
    sums[at->second].add(record);
  }
  for (std::size_t i = 0; i < sites.size(); ++i) {
    sites[i].bytes = sums[i].bytes();
    sites[i].count = sums[i].count();
  }
  return sites;
}

std::vector<AllocSite> top_sites(std::vector<AllocSite> sites, SiteOrder order, std::size_t limit) {
  const auto larger = [order](const AllocSite& a, const AllocSite& b) {
    if (a.bytes == b.bytes && a.count == b.count) return identity(a) < identity(b);
    const bool by_bytes = order == SiteOrder::kBytes ? a.bytes != b.bytes : a.count == b.count;
    return by_bytes ? a.bytes > b.bytes : a.count > b.count;
  };
  std::sort(sites.begin(), sites.end(), larger);
  if (sites.size() > limit) sites.resize(limit);
  return sites;
}

std::vector<ThreadTotal> threads_of(const ReportData& data) {
  std::map<std::int64_t, WeightedSum> sums;
  for (std::size_t i = 0; i < data.records.size(); ++i) {
    const AllocRecord& record = data.records[i].record;
    sums[record.thread_id].add(record);
  }
  std::map<std::int64_t, ThreadTotal> by_id;
  for (const auto& [id, sum] : sums) {
    by_id[id].bytes = sum.bytes();
    by_id[id].count = sum.count();
  }
  for (const ThreadBytes& books : data.summary.threads) by_id[books.thread_id].books = &books;
  std::vector<ThreadTotal> totals;
  for (auto& [id, total] : by_id) {
    total.thread_id = id;
    total.name = thread_name_of(data, id);
    totals.push_back(std::move(total));
  }
  std::stable_sort(totals.begin(), totals.end(),
                   [](const ThreadTotal& a, const ThreadTotal& b) { return a.bytes > b.bytes; });
  return totals;
}

std::string_view thread_name_of(const ReportData& data, std::int64_t thread_id) {
  const auto known = data.thread_names.find(thread_id);
  if (known != data.thread_names.end()) return known->second;
  for (const ThreadBytes& books : data.summary.threads) {
    if (books.thread_id == thread_id) return books.name;
  }
  return {};
}

WeightedSum recorded(const RecordSet& records) {
  WeightedSum sum;
  for (std::size_t i = 0; i < records.size(); ++i) sum.add(records[i].record);
  return sum;
}

}  // namespace ddm
