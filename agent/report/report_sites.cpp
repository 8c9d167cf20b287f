#include "report/report_sites.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "report/report_words.h"
#include "stack/names/jdk_classes.h"

namespace ddm {
namespace {

struct SiteKey {
  NameId class_id;
  FrameLine at, app;
  friend bool operator==(const SiteKey&, const SiteKey&) = default;
};

struct SiteKeyHash {
  std::size_t operator()(const SiteKey& key) const {
    std::uint64_t hash = key.class_id;
    for (const FrameLine& frame : {key.at, key.app}) {
      hash = (hash ^ std::uint64_t{frame.method} << 32 ^ static_cast<std::uint32_t>(frame.line) ^
              (frame.known ? 1u << 31 : 0u)) *
             0x9e3779b97f4a7c15u;
      hash ^= hash >> 29;
    }
    return hash;
  }
};

class SiteSums {
 public:
  explicit SiteSums(ReportNames& names) : names_(names) {}

  // Figures are added to both.
  std::pair<AllocSite&, WeightedSum&> at(NameId class_id, std::span<const Frame> frames) {
    AllocSite site;
    site.class_id = class_id;
    site.at = innermost(frames, names_);
    site.app = outside_jdk(frames, names_);
    const auto [at, fresh] = index_.emplace(SiteKey{class_id, site.at, site.app}, sites_.size());
    if (fresh) {
      sites_.push_back(site);
      sums_.emplace_back();
    }
    return {sites_[at->second], sums_[at->second]};
  }

  std::vector<AllocSite> finish(SiteFrame by) {
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      sites_[i].bytes += sums_[i].bytes();
      sites_[i].count += sums_[i].count();
      sites_[i].app_bytes = sites_[i].bytes;
    }
    return by == SiteFrame::kBoth ? std::move(sites_) : folded(by);
  }

 private:
  std::vector<AllocSite> folded(SiteFrame by) const {
    std::vector<AllocSite> result;
    std::unordered_map<SiteKey, std::size_t, SiteKeyHash> index;
    for (const AllocSite& site : sites_) {
      const SiteKey key = by == SiteFrame::kAllocating ? SiteKey{site.class_id, site.at, {}}
                                                       : SiteKey{site.class_id, {}, site.app};
      const auto [at, fresh] = index.emplace(key, result.size());
      if (fresh) {
        result.push_back(site);
        if (by == SiteFrame::kApp) result.back().at = {};
        continue;
      }
      AllocSite& sum = result[at->second];
      if (by == SiteFrame::kApp) {
        sum.app_bytes += site.bytes;
      } else if (site.bytes > sum.app_bytes) {
        sum.app = site.app;
        sum.app_bytes = site.bytes;
      }
      sum.bytes += site.bytes;
      sum.count += site.count;
      sum.ages += site.ages;
    }
    return result;
  }

  ReportNames& names_;
  std::vector<AllocSite> sites_;
  std::vector<WeightedSum> sums_;
  std::unordered_map<SiteKey, std::size_t, SiteKeyHash> index_;
};

}  // namespace

FrameLine innermost(std::span<const Frame> frames, ReportNames& names) {
  if (frames.empty()) return {};
  const Frame& frame = frames.front();
  return {true, names.method(frame.method).alike, names.line(frame)};
}

FrameLine outside_jdk(std::span<const Frame> frames, ReportNames& names) {
  if (frames.empty()) return {};
  const std::size_t chosen = representative_frame(frames.size(), [&](std::size_t i) {
    return std::string_view(names.method(frames[i].method).class_name);
  });
  return innermost(frames.subspan(chosen), names);
}

std::vector<AllocSite> sites_of(const RecordSet& records, ReportNames& names, SiteFrame by) {
  SiteSums sums(names);
  for (std::size_t i = 0; i < records.size(); ++i) {
    sums.at(records[i].record.class_id, records[i].frames).second.add(records[i].record);
  }
  return sums.finish(by);
}

std::vector<AllocSite> sites_of(const SiteSet& sites, ReportNames& names, SiteFrame by) {
  SiteSums sums(names);
  SiteSet::FrameBuffer buffer;
  for (const Site& site : sites.list()) {
    AllocSite& sum = sums.at(site.class_id, sites.frames(site, buffer)).first;
    sum.bytes += site.bytes;
    sum.count += site.count;
    if (site.life.live_count > 0) sum.ages += sites.ages(site);
  }
  return sums.finish(by);
}

std::vector<AllocSite> sites_of(const ReportData& data, ReportNames& names, SiteFrame by) {
  return data.sites.counted() ? sites_of(data.sites, names, by) : sites_of(data.records, names, by);
}

std::vector<AllocSite> top_sites(std::vector<AllocSite> sites, SiteOrder order, std::size_t limit) {
  const bool by_bytes = order == SiteOrder::kBytes;
  const auto key = [by_bytes](const AllocSite& site) {
    const auto [first, second] =
        by_bytes ? std::pair(site.bytes, site.count) : std::pair(site.count, site.bytes);
    return std::tuple(-first, -second, site.class_id, site.at, site.app);
  };
  limit = std::min(limit, sites.size());
  const auto end = sites.begin() + static_cast<std::ptrdiff_t>(limit);
  std::ranges::partial_sort(sites, end, {}, key);
  sites.resize(limit);
  return sites;
}

std::vector<std::string> site_lines(const AllocSite& site, ReportNames& names, std::size_t width) {
  if (!site.at.known && !site.app.known) return {"    (no Java frame)"};
  std::vector<std::string> lines;
  const auto add = [&](std::string_view before, const FrameLine& frame, std::string_view after) {
    const std::size_t buffer = width - before.size() - after.size();
    lines.push_back(fmt::format(
        "{}{}{}", before,
        shortened_frame(names.method(frame.method), names.place(frame.method, frame.line), buffer),
        after));
  };
  if (site.at.known) add("    at ", site.at, "");
  if (site.app != site.at) {
    const bool all = site.app_bytes == site.bytes;
    const std::string share = share_of(site.app_bytes, site.bytes);
    const std::string part = all ? "" : share == "100.0%" ? "nearly all" : share;
    add("    from ", site.app, all ? "" : ", " + part + " of it");
  }
  return lines;
}

std::vector<ThreadTotal> threads_of(const ReportData& data) {
  std::map<std::int64_t, std::pair<WeightedSum, const ThreadBytes*>> by_id;
  for (std::size_t i = 0; i < data.records.size(); ++i) {
    const AllocRecord& record = data.records[i].record;
    by_id[record.thread_id].first.add(record);
  }
  for (const ThreadBytes& account : data.summary.threads)
    by_id[account.thread_id].second = &account;
  std::vector<ThreadTotal> totals;
  for (const auto& [id, known] : by_id) {
    const auto& [sum, account] = known;
    std::string_view name = thread_name_of(data, id);
    if (name.empty() && account != nullptr) name = account->name;
    totals.push_back({id, std::string(name), sum.bytes(), sum.count(), account});
  }
  std::ranges::stable_sort(totals, std::greater{}, &ThreadTotal::bytes);
  return totals;
}

std::string_view thread_name_of(const ReportData& data, std::int64_t thread_id) {
  const auto known = data.thread_names.find(thread_id);
  if (known != data.thread_names.end()) return known->second;
  for (const ThreadBytes& account : data.summary.threads) {
    if (account.thread_id == thread_id) return account.name;
  }
  return {};
}

WeightedSum recorded(const RecordSet& records) {
  WeightedSum sum;
  for (std::size_t i = 0; i < records.size(); ++i) sum.add(records[i].record);
  return sum;
}

}  // namespace ddm
