// The firefox.json report: a profile for profiler.firefox.com (processed format, version 70) with
// one thread's nativeAllocations: what was allocated, and with a minus what was found dead.
//
// Time is by collections: what was allocated between two stands at the second one, and so do the
// dead. The plus of a site are the bytes of the whole run, plus and minus what is alive. What was
// allocated before it was followed comes and goes at the very start. As in pprof the class is the
// innermost frame.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "records/report.h"
#include "records/report_json.h"
#include "records/report_names.h"
#include "records/report_pieces.h"

namespace ddm {
namespace {

constexpr std::int64_t kVersion = 70;
constexpr std::int64_t kGeckoVersion = 36;

struct Event {
  std::int64_t ms = 0;
  std::uint32_t stack = 0;
  std::int64_t bytes = 0;
};

// The tables that stacks are made of, as columns.
class Stacks {
 public:
  explicit Stacks(ReportNames& names) : names_(names) {}

  std::uint32_t of(std::span<const Frame> frames, bool cut, NameId class_id) {
    std::optional<std::uint32_t> at;
    if (cut) at = child(at, frame(text_function("[deeper frames cut]"), kLineUnknown));
    for (auto one = frames.rbegin(); one != frames.rend(); ++one) {
      const PrintableMethod& method = names_.method(one->method);
      const int line = method.entry != nullptr ? line_of(*method.entry, one->bci) : kLineUnknown;
      at = child(at, frame(method_function(one->method, method), line));
    }
    const auto [known, fresh] = class_functions_.try_emplace(class_id, 0);
    if (fresh) known->second = text_function("new " + names_.class_name(class_id));
    return child(at, frame(known->second, kLineUnknown));
  }

  void append(ReportPieces& pieces) const {
    std::string& out = pieces.text();
    out += "\"stackTable\":{";
    column(pieces, "frame", stacks_, [](const Stack& stack) { return stack.frame; });
    column(pieces, "prefixOffset", stacks_, [](const Stack& stack) { return stack.offset; });
    length(out, stacks_.size());
    out += ",\n\"frameTable\":{";
    constant(pieces, "address", frames_.size(), "-1");
    constant(pieces, "inlineDepth", frames_.size(), "0");
    column(pieces, "category", frames_, [](const auto&) { return 0; });
    constant(pieces, "subcategory", frames_.size(), "0");
    column(pieces, "func", frames_, [](const auto& one) { return one.first; });
    constant(pieces, "nativeSymbol", frames_.size(), "null");
    constant(pieces, "lib", frames_.size(), "null");
    constant(pieces, "innerWindowID", frames_.size(), "null");
    begin(out, "line");
    for (const auto& [function, line] : frames_) {
      comma(out);
      line > 0 ? append_json_number(out, line) : static_cast<void>(out += "null");
      if (!pieces.wanted()) return;
    }
    out += "],";
    constant(pieces, "column", frames_.size(), "null");
    constant(pieces, "originalLocation", frames_.size(), "null");
    length(out, frames_.size());
    out += ",\n\"funcTable\":{";
    column(pieces, "name", functions_, [](const Function& one) { return one.name; });
    constant(pieces, "isJS", functions_.size(), "false");
    constant(pieces, "relevantForJS", functions_.size(), "false");
    constant(pieces, "resource", functions_.size(), "-1");
    begin(out, "source");
    for (const Function& one : functions_) {
      comma(out);
      one.source ? append_json_number(out, *one.source) : static_cast<void>(out += "null");
    }
    out += "],";
    constant(pieces, "lineNumber", functions_.size(), "null");
    constant(pieces, "columnNumber", functions_.size(), "null");
    constant(pieces, "originalLocation", functions_.size(), "null");
    length(out, functions_.size());
    out += R"(,"resourceTable":{"lib":[],"name":[],"host":[],"type":[],"length":0},)";
    out +=
        R"("nativeSymbols":{"libIndex":[],"address":[],"name":[],"functionSize":[],"length":0},)";
    out += "\"sources\":{";
    constant(pieces, "id", sources_.size(), "null");
    column(pieces, "filename", sources_, [](std::uint32_t name) { return name; });
    constant(pieces, "startLine", sources_.size(), "1");
    constant(pieces, "startColumn", sources_.size(), "1");
    constant(pieces, "sourceMapURL", sources_.size(), "null");
    constant(pieces, "content", sources_.size(), "null");
    length(out, sources_.size());
    out += R"(,"sourceLocationTable":{"source":[],"line":[],"column":[],"length":0},)";
    begin(out, "stringArray");
    for (const std::string& text : texts_) {
      comma(out);
      append_json_string(out, text);
      if (!pieces.wanted()) return;
    }
    out += ']';
  }

  static void begin(std::string& out, std::string_view key) {
    out.append("\"").append(key).append("\":[");
  }
  static void comma(std::string& out) {
    if (out.empty() || (out.back() != '[')) out += ',';
  }
  template <typename List, typename Number>
  static void column(ReportPieces& pieces, std::string_view key, const List& list, Number number) {
    std::string& out = pieces.text();
    begin(out, key);
    bool first = true;
    for (const auto& one : list) {
      if (!first) out += ',';
      first = false;
      append_json_number(out, static_cast<std::int64_t>(number(one)));
      if (!pieces.wanted()) return;
    }
    out += "],";
  }
  static void length(std::string& out, std::size_t length) {
    out += "\"length\":";
    append_json_number(out, static_cast<std::int64_t>(length));
    out += '}';
  }

 private:
  struct Stack {
    std::uint32_t frame = 0;
    std::uint32_t offset = 0;  // how far back its caller stands; 0: it has none
  };
  struct Function {
    std::uint32_t name = 0;
    std::optional<std::uint32_t> source;
  };

  static void constant(ReportPieces& pieces, std::string_view key, std::size_t length,
                       std::string_view value) {
    std::string& out = pieces.text();
    begin(out, key);
    for (std::size_t i = 0; i < length; ++i) {
      if (i > 0) out += ',';
      out += value;
      if (!pieces.wanted()) return;
    }
    out += "],";
  }

  std::uint32_t child(std::optional<std::uint32_t> parent, std::uint32_t frame) {
    const auto next = static_cast<std::uint32_t>(stacks_.size());
    const std::uint64_t key = std::uint64_t{parent ? *parent + 1 : 0} << 32 | frame;
    const auto [at, fresh] = children_.try_emplace(key, next);
    if (fresh) stacks_.push_back({frame, parent ? next - *parent : 0});
    return at->second;
  }
  std::uint32_t frame(std::uint32_t function, int line) {
    const std::uint64_t key = std::uint64_t{function} << 32 | static_cast<std::uint32_t>(line);
    const auto [at, fresh] = by_frame_.try_emplace(key, static_cast<std::uint32_t>(frames_.size()));
    if (fresh) frames_.emplace_back(function, line);
    return at->second;
  }
  std::uint32_t text_function(const std::string& name) {
    functions_.push_back({text(name), {}});
    return static_cast<std::uint32_t>(functions_.size() - 1);
  }
  std::uint32_t method_function(NameId id, const PrintableMethod& method) {
    const auto [at, fresh] = method_functions_.try_emplace(id, 0);
    if (fresh) {
      at->second = text_function(method.qualified);
      if (!method.file.empty()) functions_.back().source = source(method.file);
    }
    return at->second;
  }
  std::uint32_t source(const std::string& file) {
    const auto [at, fresh] =
        by_file_.try_emplace(file, static_cast<std::uint32_t>(sources_.size()));
    if (fresh) sources_.push_back(text(file));
    return at->second;
  }
  std::uint32_t text(const std::string& text) {
    const auto [at, fresh] = by_text_.try_emplace(text, static_cast<std::uint32_t>(texts_.size()));
    if (fresh) texts_.push_back(text);
    return at->second;
  }

  ReportNames& names_;
  std::vector<Stack> stacks_;
  std::vector<std::pair<std::uint32_t, int>> frames_;  // function, line
  std::vector<Function> functions_;
  std::vector<std::uint32_t> sources_;  // their names
  std::vector<std::string> texts_;
  std::unordered_map<std::uint64_t, std::uint32_t> children_, by_frame_;
  std::unordered_map<NameId, std::uint32_t> class_functions_, method_functions_;
  std::unordered_map<std::string, std::uint32_t> by_file_, by_text_;
};

// The events of one sign of one site, whose sum is to be an exact figure.
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

std::vector<Event> events_of(const SiteSet& all, const SiteSet& sites, Stacks& stacks,
                             std::int64_t end_ms) {
  struct Known {
    std::size_t site = 0;
    double dead = 0;  // in the whole history
    double seen_so_far = 0, dead_so_far = 0;
    Changes plus, minus;
  };
  // What is added up in one site is known by its sum alone.
  std::unordered_map<std::uint64_t, std::size_t> index;
  std::vector<Known> known(sites.size());
  for (std::size_t i = 0; i < sites.size(); ++i) {
    known[i].site = i;
    if (sites[i].kept == kMaxDepth) {
      index[SiteSum::key_of(sites[i].class_id, sites[i].trace)] = i;
    }
  }
  const auto find = [&](const SiteChange& change) -> Known* {
    const TraceNumber trace = std::max(change.trace, kEmptyTrace);
    const auto found = index.find(SiteSum::key_of(change.class_id, trace));
    return found == index.end() ? nullptr : &known[found->second];
  };
  for (const SiteMoment& moment : all.history()) {
    for (const SiteChange& change : moment.changes) {
      if (Known* one = find(change)) one->dead += change.dead_bytes;
    }
  }
  for (const SiteMoment& moment : all.history()) {
    for (const SiteChange& change : moment.changes) {
      Known* one = find(change);
      if (one == nullptr) continue;
      const SiteLife& life = sites[one->site].life;
      one->seen_so_far += change.seen_bytes;
      one->plus.reach(moment.ms, one->seen_so_far);
      if (one->dead <= 0) continue;
      // Of one object in N: those left out have died at the same times.
      const double share = static_cast<double>(life.seen_bytes - life.live_bytes) / one->dead;
      one->dead_so_far += change.dead_bytes;
      one->minus.reach(moment.ms, one->dead_so_far * share);
    }
  }
  std::vector<Event> events;
  SiteSet::Room room;
  for (Known& one : known) {
    const Site& site = sites[one.site];
    const std::uint32_t stack = stacks.of(sites.frames(site, room), sites.cut(site), site.class_id);
    const std::int64_t before = site.bytes - site.life.seen_bytes;
    if (before > 0) {
      events.push_back({0, stack, before});
      events.push_back({0, stack, -before});
    }
    const std::int64_t seen = std::min(site.bytes, site.life.seen_bytes);
    one.plus.finish(end_ms, seen);
    one.minus.finish(end_ms, seen - site.life.live_bytes);
    for (const auto& [ms, bytes] : one.plus.list()) {
      if (bytes > 0) events.push_back({ms, stack, bytes});
    }
    for (const auto& [ms, bytes] : one.minus.list()) {
      if (bytes > 0) events.push_back({ms, stack, -bytes});
    }
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return a.ms < b.ms; });
  return events;
}

void append_meta(std::string& out, const ReportSummary& summary, std::int64_t end_ms) {
  out += fmt::format(
      R"({{"meta":{{"interval":1,"startTime":{},"endTime":{},"processType":0,"stackwalk":1,)"
      R"("version":{},"preprocessedProfileVersion":{},"symbolicationNotSupported":true,)"
      R"("markerSchema":[],"categories":[{{"name":"Java","color":"blue",)"
      R"("subcategories":["Other"]}},{{"name":"Other","color":"grey","subcategories":["Other"]}}],)",
      summary.written_ms - end_ms, end_ms, kGeckoVersion, kVersion);
  out += "\"product\":";
  append_json_string(out, summary.app);
  std::string platform = summary.vm;
  if (summary.live_is_estimated()) platform += " (figures are estimates)";
  out += ",\"platform\":";
  append_json_string(out, platform);
  out += "},\n\"libs\":[],\"pages\":[],\n";
}

}  // namespace

void firefox_report(const ReportData& data, const ReportSink& sink) {
  if (!data.summary.live) return;
  const ReportSummary& summary = data.summary;
  const std::int64_t end_ms = std::max<std::int64_t>(1, summary.live->followed_ms);
  ReportNames names(data.names);
  Stacks stacks(names);
  const std::vector<Event> events =
      events_of(data.sites, data.sites.folded(kSpeltOutFrames), stacks, end_ms);
  ReportPieces pieces(sink);
  std::string& out = pieces.text();
  append_meta(out, summary, end_ms);
  out += "\"shared\":{";
  stacks.append(pieces);
  out +=
      "},\n\"threads\":[{\"name\":\"Java heap\",\"isMainThread\":true,\"processType\":\"default\",";
  out += R"("processStartupTime":0,"processShutdownTime":null,"registerTime":0,)";
  out += R"("unregisterTime":null,"pausedRanges":[],"showMarkersInTimeline":false,)";
  out += fmt::format("\"pid\":\"{0}\",\"tid\":{0},\"processName\":", summary.pid);
  append_json_string(out, summary.app);
  out += fmt::format(
      R"(,"samples":{{"stack":[null,null],"time":[0,{}],"weight":null,"weightType":"samples",)"
      R"("length":2}},"markers":{{"data":[],"name":[],"startTime":[],"endTime":[],"phase":[],)"
      R"("category":[],"length":0}},)",
      end_ms);
  out += "\n\"nativeAllocations\":{\"weightType\":\"bytes\",";
  Stacks::column(pieces, "time", events, [](const Event& event) { return event.ms; });
  Stacks::column(pieces, "weight", events, [](const Event& event) { return event.bytes; });
  Stacks::column(pieces, "stack", events, [](const Event& event) { return event.stack; });
  Stacks::length(out, events.size());
  out += "}]}\n";
  pieces.finish();
}

}  // namespace ddm
