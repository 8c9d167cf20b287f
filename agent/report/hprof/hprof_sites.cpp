#include "report/hprof/hprof_sites.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace ddm {
namespace {

double part_of(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::string bytes_of(const std::vector<HprofFrame>& stack) {
  return {reinterpret_cast<const char*>(stack.data()), stack.size() * sizeof(HprofFrame)};
}

// Merges sites that are equal once stacks are truncated and lines dropped.
class SitesByContent {
 public:
  SitesByContent(ReportNames& names, const HprofView& view) : names_(names), view_(view) {}

  std::size_t place_of(NameId class_id, std::int64_t thread, std::span<const Frame> frames) {
    const std::size_t stack = stack_of(thread, frames);
    const auto [at, fresh] = places_.emplace(std::uint64_t{class_id} << 32 | stack, list.size());
    if (fresh) list.push_back({class_id, stack, thread, 0, 0, 0, 0});
    return at->second;
  }

  std::vector<HprofSite> list;
  std::vector<std::vector<HprofFrame>> stacks;

 private:
  std::size_t stack_of(std::int64_t thread, std::span<const Frame> frames) {
    std::vector<HprofFrame> shown = hprof_stack(frames, names_, view_);
    const auto [at, fresh] =
        stack_places_.emplace(bytes_of(shown) + std::to_string(thread), stacks.size());
    if (fresh) stacks.push_back(std::move(shown));
    return at->second;
  }

  ReportNames& names_;
  const HprofView& view_;
  std::unordered_map<std::uint64_t, std::size_t> places_;
  std::unordered_map<std::string, std::size_t> stack_places_;
};

void add_records(const RecordSet& records, bool threads, SitesByContent& sites) {
  std::vector<WeightedSum> sums;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const AllocRecord& record = records[i].record;
    const std::size_t place =
        sites.place_of(record.class_id, threads ? record.thread_id : 0, records[i].frames);
    if (place >= sums.size()) sums.resize(place + 1);
    sums[place].add(record);
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sites.list[i].bytes = sums[i].bytes();
    sites.list[i].count = sums[i].count();
  }
}

void add_run(const SiteSet& all, bool threads, SitesByContent& sites) {
  const SiteSet run = all.folded(kSpeltOutFrames);
  SiteSet::FrameBuffer buffer;
  for (const Site& site : run.list()) {
    std::span<const Frame> frames = run.frames(site, buffer);
    const std::int64_t thread = threads ? take_thread(frames) : 0;
    HprofSite& sum = sites.list[sites.place_of(site.class_id, thread, frames)];
    sum.bytes += site.bytes;
    sum.count += site.count;
    sum.live_bytes += site.life.live_bytes;
    sum.live_count += site.life.live_count;
  }
}

}  // namespace

std::int64_t take_thread(std::span<const Frame>& frames) {
  if (frames.empty()) return 0;
  const std::int64_t thread = thread_of(frames.front());
  frames = frames.subspan(1);
  return thread;
}

std::vector<HprofFrame> hprof_stack(std::span<const Frame> frames, ReportNames& names,
                                    const HprofView& view) {
  std::vector<HprofFrame> shown;
  for (const Frame& frame : frames.first(std::min(frames.size(), view.depth))) {
    int line = names.line(frame);
    if (line != kLineNative && !view.lines) line = kLineUnknown;
    shown.push_back({frame.method, line, view.bcis ? frame.bci : kNativeFrameBci});
  }
  return shown;
}

HprofSites::HprofSites(const ReportData& data, ReportNames& names, const HprofView& view)
    : order_(data.summary.live ? view.order : HprofOrder::kAllocated) {
  SitesByContent sites(names, view);
  if (data.sites.counted()) {
    add_run(data.sites, view.threads, sites);
  } else {
    add_records(data.records, view.threads, sites);
  }
  stacks_ = std::move(sites.stacks);
  for (const HprofSite& site : sites.list) {
    totals_.live_bytes += site.live_bytes;
    totals_.live_count += site.live_count;
    totals_.bytes += site.bytes;
    totals_.count += site.count;
  }
  for (const HprofSite& site : sites.list) {
    const double larger =
        std::max(part_of(site.live_bytes, totals_.live_bytes), part_of(site.bytes, totals_.bytes));
    if (larger >= view.cutoff) list_.push_back(site);
  }
  const auto key = [this](const HprofSite& site) {
    const bool live = order_ == HprofOrder::kLive;
    return std::tuple(-(live ? site.live_bytes : site.bytes), -site.bytes, -site.count,
                      site.class_id, site.stack);
  };
  std::ranges::sort(list_, {}, key);
}

double HprofSites::share(const HprofSite& site) const {
  return order_ == HprofOrder::kLive ? part_of(site.live_bytes, totals_.live_bytes)
                                     : part_of(site.bytes, totals_.bytes);
}

HprofCosts::HprofCosts(const TimeStacks& stacks, ReportNames& names, const HprofView& view) {
  std::map<std::pair<std::string, NameId>, std::size_t> places;
  for (const TimeStack& one : stacks.list) {
    if (one.kind != MonitorKind::kEnter || (one.count == 0 && one.amount == 0)) continue;
    std::vector<HprofFrame> stack = hprof_stack(one.frames, names, view);
    const auto [at, fresh] = places.emplace(std::pair(bytes_of(stack), one.class_id), list_.size());
    if (fresh) list_.push_back({std::move(stack), one.class_id, 0, 0});
    list_[at->second].count += one.count;
    list_[at->second].cost += one.amount;
    total_ += one.amount;
  }
  std::erase_if(list_, [&](const HprofCost& cost) { return share(cost) < view.cutoff; });
  std::ranges::stable_sort(list_, [](const HprofCost& a, const HprofCost& b) {
    return std::tie(b.cost, b.count) < std::tie(a.cost, a.count);
  });
}

double HprofCosts::share(const HprofCost& cost) const { return part_of(cost.cost, total_); }

}  // namespace ddm
