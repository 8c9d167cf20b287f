// Recorded allocations added up by site and by thread.
#include "records/report_sites.h"

#include <algorithm>
#include <map>
#include <span>
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

class SiteSums {
 public:
  SiteSums(ReportNames& names, SiteFrame by) : names_(names), by_(by) {}

  // Figures are added to either of the two.
  std::pair<AllocSite&, WeightedSum&> at(NameId class_id, std::span<const Frame> frames) {
    AllocSite site;
    site.class_id = class_id;
    if (const Frame* frame = shown(frames)) {
      site.has_frame = true;
      site.method = frame->method;
      site.line = line_of(*names_.method(site.method).entry, frame->bci);
    }
    const SiteKey key{std::uint64_t{site.class_id} << 32 | site.method,
                      site.has_frame ? site.line : kNoFrame};
    const auto [at, fresh] = index_.emplace(key, sites_.size());
    if (fresh) {
      sites_.push_back(site);
      sums_.emplace_back();
    }
    return {sites_[at->second], sums_[at->second]};
  }

  std::vector<AllocSite> finish() {
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      sites_[i].bytes += sums_[i].bytes();
      sites_[i].count += sums_[i].count();
    }
    return std::move(sites_);
  }

 private:
  const Frame* shown(std::span<const Frame> frames) {
    if (frames.empty()) return nullptr;
    if (by_ == SiteFrame::kAllocating) return frames.data();
    for (const Frame& frame : frames) {
      const auto [known, fresh] = jdk_.try_emplace(frame.method, false);
      if (fresh) known->second = is_jdk_class(names_.method(frame.method).class_name);
      if (!known->second) return &frame;
    }
    return &frames.back();
  }

  ReportNames& names_;
  const SiteFrame by_;
  std::vector<AllocSite> sites_;
  std::vector<WeightedSum> sums_;
  std::unordered_map<SiteKey, std::size_t, SiteKeyHash> index_;
  std::unordered_map<NameId, bool> jdk_;
};

}  // namespace

bool is_jdk_class(std::string_view class_name) {
  for (const std::string_view package : {"java.", "javax.", "jdk.", "sun.", "com.sun."}) {
    if (class_name.starts_with(package)) return true;
  }
  return false;
}

std::vector<AllocSite> sites_of(const RecordSet& records, ReportNames& names, SiteFrame by) {
  SiteSums sums(names, by);
  for (std::size_t i = 0; i < records.size(); ++i) {
    sums.at(records[i].record.class_id, records[i].frames).second.add(records[i].record);
  }
  return sums.finish();
}

std::vector<AllocSite> sites_of(const SiteSet& sites, ReportNames& names, SiteFrame by) {
  SiteSums sums(names, by);
  SiteSet::Room room;
  for (const Site& site : sites.list()) {
    AllocSite& sum = sums.at(site.class_id, sites.frames(site, room)).first;
    sum.bytes += site.bytes;
    sum.count += site.count;
  }
  return sums.finish();
}

std::vector<AllocSite> sites_of(const ReportData& data, ReportNames& names, SiteFrame by) {
  return data.sites.counted() ? sites_of(data.sites, names, by) : sites_of(data.records, names, by);
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
