// The firefox.json report: a profile for profiler.firefox.com (processed format, version 70) with
// the nativeAllocations of one thread: allocated bytes, and as negative values bytes found dead.
//
// Time has the resolution of collections: allocations between two of them are placed at the second,
// and so are deaths. The sum of a site's positive values are its bytes of the whole run, the sum of
// all values its live bytes. What was allocated before objects were followed appears and disappears
// at the start. As in pprof the class is the innermost frame.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/firefox_profile.h"
#include "report/report.h"
#include "report/report_names.h"
#include "report/report_pieces.h"

namespace ddm {
namespace {

struct Event {
  std::int64_t ms = 0;
  std::uint32_t stack = 0;
  std::int64_t bytes = 0;
};

// Events of one sign of one site, rounded so that their sum is exact.
class Changes {
 public:
  // `up_to`: the sum until then, rounded here.
  void reach(std::int64_t ms, double up_to) {
    const std::int64_t bytes = std::llround(up_to) - sum_;
    if (bytes <= 0) return;
    list_.emplace_back(ms, bytes);
    sum_ += bytes;
  }
  void finish(std::int64_t ms, std::int64_t total) {
    if (total > sum_) list_.emplace_back(ms, total - sum_);
    for (; total < sum_ && !list_.empty(); list_.pop_back()) {
      const std::int64_t less = std::min(sum_ - total, list_.back().second);
      sum_ -= less;
      list_.back().second -= less;
      if (list_.back().second > 0) break;
    }
  }
  const std::vector<std::pair<std::int64_t, std::int64_t>>& list() const { return list_; }

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> list_;  // ms, bytes
  std::int64_t sum_ = 0;
};

// The profile's stacks are a tree, too: of each node one is made, once.
class StacksOfNodes {
 public:
  StacksOfNodes(const CallTree& tree, FirefoxStacks& stacks) : tree_(tree), stacks_(stacks) {}

  // None of a stack without frames.
  std::optional<std::uint32_t> of(TraceNumber node) {
    path_.clear();
    for (; node > kCutTrace && !known(node); node = tree_.caller(node)) path_.push_back(node);
    std::optional<std::uint32_t> stack;
    if (node == kCutTrace) stack = stacks_.cut();
    if (node > kCutTrace) stack = made_[node];
    for (; !path_.empty(); path_.pop_back()) {
      const TraceNumber next = path_.back();
      if (tree_.has_gap(next)) stack = stacks_.call(stack, {kLeftOutName, kNativeFrameBci});
      made_[next] = *(stack = stacks_.call(stack, tree_.frame(next)));
    }
    return stack;
  }

 private:
  static constexpr std::uint32_t kNotMade = ~std::uint32_t{0};
  bool known(TraceNumber node) {
    if (node >= made_.size()) made_.resize(std::size_t{node} + 1, kNotMade);
    return made_[node] != kNotMade;
  }

  const CallTree& tree_;
  FirefoxStacks& stacks_;
  std::vector<std::uint32_t> made_;  // by TraceNumber
  std::vector<TraceNumber> path_;    // to be made, the outermost last
};

std::vector<Event> events_of(const SiteSet& sites, FirefoxStacks& profile, std::int64_t end_ms) {
  struct Known {
    double dead = 0;  // in the whole history
    double seen_so_far = 0, dead_so_far = 0;
    Changes plus, minus;
  };
  std::unordered_map<std::uint64_t, std::size_t> index;
  std::vector<Known> known(sites.size());
  for (std::size_t i = 0; i < sites.size(); ++i) {
    index[SiteSum::key_of(sites[i].class_id, sites[i].trace)] = i;
  }
  const LiveHistory& history = sites.history();
  for (std::size_t moment = 0; moment < history.size(); ++moment) {
    for (const LiveChange& change : history[moment]) {
      if (const auto at = index.find(sites.key_of(change.site)); at != index.end()) {
        known[at->second].dead += change.dead_bytes;
      }
    }
  }
  for (std::size_t moment = 0; moment < history.size(); ++moment) {
    for (const LiveChange& change : history[moment]) {
      const auto at = index.find(sites.key_of(change.site));
      if (at == index.end()) continue;
      const SiteLife& life = sites[at->second].life;
      Known& one = known[at->second];
      one.seen_so_far += change.seen_bytes;
      one.plus.reach(history.ms(moment), one.seen_so_far);
      if (one.dead <= 0) continue;
      // With one object in N followed, the others are assumed to have died at the same times.
      const double share = static_cast<double>(life.seen_bytes - life.live_bytes) / one.dead;
      one.dead_so_far += change.dead_bytes;
      one.minus.reach(history.ms(moment), one.dead_so_far * share);
    }
  }
  std::vector<Event> events;
  StacksOfNodes stacks(sites.traces(), profile);
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const Site& site = sites[i];
    Known& one = known[i];
    const std::uint32_t stack = profile.allocation(stacks.of(site.trace), site.class_id);
    const std::int64_t before = site.bytes - site.life.seen_bytes;
    if (before > 0) {
      events.push_back({0, stack, before});
      events.push_back({0, stack, -before});
    }
    const std::int64_t seen = std::min(site.bytes, site.life.seen_bytes);
    one.plus.finish(end_ms, seen);
    one.minus.finish(end_ms, seen - site.life.live_bytes);
    const auto add = [&](const Changes& changes, int sign) {
      for (const auto& [ms, bytes] : changes.list()) {
        if (bytes > 0) events.push_back({ms, stack, sign * bytes});
      }
    };
    add(one.plus, 1);
    add(one.minus, -1);
  }
  std::ranges::stable_sort(events, {}, &Event::ms);
  return events;
}

}  // namespace

void firefox_report(const ReportData& data, const ReportSink& sink) {
  if (!data.summary.live) return;
  const ReportSummary& summary = data.summary;
  const std::int64_t end_ms = std::max<std::int64_t>(1, summary.live->followed_ms);
  ReportNames names(data.names);
  FirefoxStacks stacks(names);
  const std::vector<Event> events = events_of(data.sites, stacks, end_ms);
  ReportPieces pieces(sink);
  std::string& out = pieces.text();
  std::string platform = summary.vm;
  if (summary.live_is_estimated()) platform += " (figures are estimates)";
  append_firefox_meta(out, summary.app, platform, summary.written_ms - end_ms, end_ms);
  out += "\"shared\":{";
  stacks.append(pieces);
  out += "},\n\"threads\":[";
  append_firefox_thread(out, {"Java heap", summary.app, summary.pid, summary.pid, true});
  out += fmt::format(
      R"(,"samples":{{"stack":[null,null],"time":[0,{}],"weight":null,"weightType":"samples",)"
      R"("length":2}},)",
      end_ms);
  out += "\n\"nativeAllocations\":{\"weightType\":\"bytes\"";
  append_firefox_column(pieces, "time", events, [](const Event& event) { return event.ms; });
  append_firefox_column(pieces, "weight", events, [](const Event& event) { return event.bytes; });
  append_firefox_column(pieces, "stack", events, [](const Event& event) { return event.stack; });
  append_firefox_length(out, events.size());
  out += "}]}\n";
  pieces.finish();
}

}  // namespace ddm
