#include "report/page/page_tree.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "report/page/page_numbers.h"
#include "report/report_json.h"
#include "report/report_sites.h"

namespace ddm {
namespace {

constexpr std::uint32_t kNoNode = ~std::uint32_t{0};

void append_figure(std::string& out, double figure) {
  append_page_number(out, static_cast<std::uint64_t>(std::max<long long>(std::llround(figure), 0)));
}

std::size_t place_of(PageTree::Node parent, PageNames::Name name) {
  std::uint64_t hash = (std::uint64_t{parent} << 32 | name) * 0x9e3779b97f4a7c15u;
  return static_cast<std::size_t>(hash ^ hash >> 32);
}

// Records have the time of the kernel's tick. A shorter bar would have what a whole tick has.
std::int64_t clock_tick_ms(const RecordSet& records) {
  constexpr std::int64_t kLongestTick = 10;
  std::set<std::int64_t> times;
  for (std::size_t i = 0; i < records.size(); ++i) times.insert(records[i].record.time_ms);
  std::int64_t tick = kLongestTick;
  for (auto at = times.begin(); at != times.end() && std::next(at) != times.end(); ++at) {
    tick = std::min(tick, *std::next(at) - *at);
  }
  return tick;
}

}  // namespace

PageTree::Node PageTree::child(Node parent, PageNames::Name name) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = place_of(parent, name) & mask;
  for (; slots_[at] != 0; at = (at + 1) & mask) {
    const Place& there = nodes_[slots_[at]];
    if (there.parent == parent && there.name == name) return slots_[at];
  }
  const auto node = static_cast<Node>(nodes_.size());
  nodes_.push_back({parent, name});
  slots_[at] = node;
  if (2 * nodes_.size() > slots_.size()) grow();
  return node;
}

void PageTree::grow() {
  slots_.assign(2 * slots_.size(), 0);
  const std::size_t mask = slots_.size() - 1;
  for (Node node = 1; node < nodes_.size(); ++node) {
    std::size_t at = place_of(nodes_[node].parent, nodes_[node].name) & mask;
    while (slots_[at] != 0) at = (at + 1) & mask;
    slots_[at] = node;
  }
}

PageFigures& PageTree::figures(Node node) {
  if (nodes_[node].figures == 0) {
    nodes_[node].figures = static_cast<std::uint32_t>(figures_.size());
    figures_.emplace_back();
  }
  return figures_[nodes_[node].figures];
}

void PageTree::add_ages(PageFigures& figures, const LiveAges& ages) {
  if (figures.ages == 0) {
    ages_.emplace_back();
    figures.ages = static_cast<std::uint32_t>(ages_.size());
  }
  ages_[figures.ages - 1] += ages;
}

// Maps nodes of the sites' tree to the page's; several may map to one, at the same line.
void PageTree::add(const SiteSet& sites, bool ages, bool before) {
  const CallTree& tree = sites.traces();
  std::vector<Node> known(std::size_t{tree.last()} + 1, kNoNode);
  std::vector<TraceNumber> pending;
  const auto node_of = [&](TraceNumber trace) {
    for (; trace > kEmptyTrace && known[trace] == kNoNode; trace = tree.caller(trace)) {
      pending.push_back(trace);
      if (trace == kCutTrace) break;
    }
    Node node = trace <= kEmptyTrace ? kRoot : known[trace];
    for (; !pending.empty(); pending.pop_back()) {
      trace = pending.back();
      if (trace == kCutTrace) {
        node = child(kRoot, names_.word(kDeeperFramesCut));
      } else {
        const Frame frame = tree.frame(trace);
        if (tree.has_gap(trace) && frame.method != kLeftOutName) {
          node = child(node, names_.frame({kLeftOutName, kNativeFrameBci}));
        }
        node = child(node, names_.frame(frame));
      }
      known[trace] = node;
    }
    return node;
  };
  std::unordered_map<std::uint64_t, std::uint32_t> by_site;
  const bool timed = !ages && sites.times().step_ms > 0;
  for (const Site& site : sites.list()) {
    const Node end = child(node_of(site.trace), names_.class_of(site.class_id));
    PageFigures& figures = this->figures(end);
    const TraceNumber trace = std::max(site.trace, kEmptyTrace);  // as SiteSet::key_of()
    if (timed) by_site[SiteSum::key_of(site.class_id, trace)] = nodes_[end].figures;
    (before ? figures.amount_before : figures.amount) += static_cast<double>(site.bytes);
    (before ? figures.count_before : figures.count) += static_cast<double>(site.count);
    if (ages) add_ages(figures, sites.ages(site));
  }
  if (timed) add_times(sites, by_site);
}

// Allocations after the last poll belong to the last moment, except for sites of which older ones may
// have no time. Beyond the limit, moments are merged; then the smallest sites get no times.
void PageTree::add_times(const SiteSet& sites,
                         const std::unordered_map<std::uint64_t, std::uint32_t>& by_site) {
  constexpr std::size_t kMostShares = 300'000, kFewestMoments = 50;
  const TimesReading& times = sites.times();
  std::vector<std::map<std::uint32_t, PageFigures>> moments;
  std::vector<PageFigures> left = figures_;
  for (std::size_t i = 0; i < times.moments.size(); ++i) {
    auto& moment = moments.emplace_back();
    for (const SiteTimes::Share& share : times.moments[i]) {
      const auto at = by_site.find(sites.key_of(share.site));
      if (at == by_site.end()) continue;
      moment[at->second].add(share.bytes, share.count);
      left[at->second].add(-share.bytes, -share.count);
    }
  }
  if (moments.empty()) return;
  for (const SiteNumber site : times.partly_timed) {
    const auto at = by_site.find(sites.key_of(site));
    if (at != by_site.end()) left[at->second] = {};
  }
  for (std::uint32_t at = 1; at < left.size(); ++at) {
    if (left[at].count < 0.5) continue;
    moments.back()[at].add(left[at].amount, left[at].count);
  }
  std::size_t shares = 0;
  for (const auto& moment : moments) shares += moment.size();
  least_step_ms_ = times.step_ms;
  for (; shares > kMostShares && moments.size() >= 2 * kFewestMoments; least_step_ms_ *= 2) {
    shares = 0;
    for (std::size_t i = 0; i < moments.size(); i += 2) {
      std::map<std::uint32_t, PageFigures> both = std::move(moments[i]);
      if (i + 1 < moments.size()) {
        for (const auto& [at, sum] : moments[i + 1]) both[at].add(sum.amount, sum.count);
      }
      shares += both.size();
      moments[i / 2] = std::move(both);
    }
    moments.resize((moments.size() + 1) / 2);
  }
  std::vector<double> smallest;
  for (const auto& moment : moments) {
    for (const auto& [at, sum] : moment) smallest.push_back(figures_[at].amount);
  }
  double least = 0;
  if (smallest.size() > kMostShares) {
    const auto end = smallest.end() - static_cast<std::ptrdiff_t>(kMostShares);
    std::nth_element(smallest.begin(), end, smallest.end());
    least = *end;
  }
  std::int64_t ms = 0;
  for (const auto& moment : moments) {
    for (const auto& [at, sum] : moment) {
      if (figures_[at].amount >= least) moments_.push_back({ms, at, sum.amount, sum.count});
    }
    ms += least_step_ms_;
  }
}

PageTree::Node PageTree::below(Node node, std::span<const Frame> frames, bool cut) {
  if (cut) node = child(node, names_.word(kDeeperFramesCut));
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    node = child(node, names_.frame(*frame));
  }
  return node;
}

void PageTree::add(const RecordSet& records, const ReportData& threads) {
  std::unordered_map<std::int64_t, Node> by_thread;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto [record, frames] = records[i];
    const auto [thread, fresh] = by_thread.try_emplace(record.thread_id, kRoot);
    if (fresh) {
      const std::string name(thread_name_of(threads, record.thread_id));
      thread->second = child(kRoot, names_.thread(record.thread_id, name));
    }
    Node node = thread->second;
    node = below(node, frames, (record.flags & kStackTruncated) != 0);
    node = child(node, names_.class_of(record.class_id));
    figures(node).add(record.weighted_bytes(), record.weight);
    moments_.push_back(
        {record.time_ms, nodes_[node].figures, record.weighted_bytes(), double{record.weight}});
  }
  least_step_ms_ = clock_tick_ms(records);
}

void PageTree::add(const TimeStacks& stacks, const std::vector<std::string>& threads) {
  for (std::size_t i = 0; i < stacks.list.size(); ++i) {
    const TimeStack& stack = stacks.list[i];
    Node node = kRoot;
    if (i < threads.size()) node = child(node, names_.thread(0, threads[i]));
    if (stacks.of == TimeStacks::Of::kLocks) node = child(node, names_.word(name_of(stack.kind)));
    node = below(node, stack.frames, stack.cut);
    if (stack.class_id != kUnknownName) node = child(node, names_.class_of(stack.class_id));
    const bool bare = stack.frames.empty() && !stack.cut && stack.class_id == kUnknownName;
    if (bare) node = child(node, names_.word("(no Java frame)"));
    figures(node).add(static_cast<double>(stack.amount), static_cast<double>(stack.count));
  }
}

PageFigures& PageTree::figures_of(std::span<const PageNames::Name> path) {
  Node node = kRoot;
  for (const PageNames::Name name : path) node = child(node, name);
  return figures(node);
}

void PageTree::use_names() const {
  for (Node node = 1; node < nodes_.size(); ++node) names_.used(nodes_[node].name);
}

void PageTree::append_figures(std::string& out, const PageFigures& figures, With with) const {
  if (with != With::kCount) append_figure(out, figures.amount);
  append_figure(out, figures.count);
  if (with == With::kBefore) {
    append_figure(out, figures.amount_before);
    append_figure(out, figures.count_before);
  }
  if (with != With::kAges) return;
  static constexpr LiveAges kNone;
  const LiveAges& ages = figures.ages == 0 ? kNone : ages_[figures.ages - 1];
  std::uint64_t mask = 0;
  for (std::size_t i = 0; i < ages.count.size(); ++i) {
    if (ages.count[i] != 0) mask |= std::uint64_t{1} << i;
  }
  append_page_number(out, mask);
  for (const std::int64_t count : ages.count) {
    if (count != 0) append_figure(out, static_cast<double>(count));
  }
}

void PageTree::append_text(std::string& out, With with) {
  walk_.assign(figures_.size(), 0);
  std::uint32_t met = 0;
  // Children of a node, in reverse order of insertion.
  std::vector<Node> first(nodes_.size(), 0), next(nodes_.size(), 0);
  for (Node node = 1; node < nodes_.size(); ++node) {
    next[node] = std::exchange(first[nodes_[node].parent], node);
  }
  std::uint64_t up = 0;
  for (Node at = first[kRoot]; at != kRoot;) {
    const Place& place = nodes_[at];
    const PageNames::Kind kind = PageNames::kind(place.name);
    const bool own = place.figures != 0;
    const std::uint64_t content = kind == PageNames::kClass    ? 2
                                  : kind == PageNames::kThread ? 3
                                  : own                        ? 1
                                                               : 0;
    append_page_number(out, 4 * up + content);
    append_page_number(out, names_.place(place.name));
    if (content == 1 || content == 2) {
      append_figures(out, figures_[place.figures], with);
      walk_[place.figures] = met++;
    }
    up = 0;
    if (first[at] != 0) {
      at = first[at];
      continue;
    }
    for (up = 1; next[at] == 0 && at != kRoot; ++up) at = nodes_[at].parent;
    if (at == kRoot) break;
    at = next[at];
  }
}

void PageTree::append_moments(std::string& out) const {
  constexpr std::int64_t kMostMoments = 400;
  const auto [oldest, newest] = std::ranges::minmax(moments_, {}, &Moment::ms);
  const std::int64_t span = newest.ms - oldest.ms + 1;
  // 1, 2, 5, 10, 20, ... times the minimum.
  std::int64_t factor = 1;
  for (int i = 0; span > factor * least_step_ms_ * kMostMoments; ++i) {
    factor = i % 3 == 1 ? factor / 2 * 5 : factor * 2;
  }
  const std::int64_t step = factor * least_step_ms_;
  std::vector<std::map<std::uint32_t, PageFigures>> sums(
      static_cast<std::size_t>((span + step - 1) / step));
  for (const Moment& one : moments_) {
    const auto moment = static_cast<std::size_t>((one.ms - oldest.ms) / step);
    sums[moment][walk_[one.figures]].add(one.amount, one.count);
  }
  out += "{\"step_ms\":";
  append_json_number(out, step);
  out += ",\"text\":\"";
  for (const auto& moment : sums) {
    append_page_number(out, moment.size());
    std::uint32_t next = 0;
    for (const auto& [at, sum] : moment) {
      append_page_number(out, at - next);
      next = at + 1;
      append_figure(out, sum.amount);
      append_figure(out, sum.count);
    }
  }
  out += "\"}";
}

}  // namespace ddm
