// The jsonl report: a summary object, an object per site, most bytes first, one per figure of time,
// then one per record, newest first; and the lists that are made of parts of it.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <vector>

#include "report/report.h"
#include "report/report_json.h"
#include "report/report_names.h"
#include "report/report_pieces.h"
#include "report/report_sites.h"

namespace ddm {
namespace {

void append_thread_members(std::string& out, std::int64_t id, std::string_view name) {
  out += '{';
  append_json_member(out, "id", id);
  append_json_member(out, "name", name);
  out += '}';
}

// Caches escaped fragments of objects.
class Fragments {
 public:
  explicit Fragments(const ReportData& data) : data_(data), names_(data.names) {}

  // {"class":"a.B","method":"m","signature":"()V","file":"B.java","line":
  const std::string& frame(NameId id) {
    return cached(methods_, id, [&](std::string& text) {
      const MethodName& method = *names_.method(id).entry;
      text = '{';
      append_frame_head(text, method, /*with_signature=*/true);
    });
  }

  // The last member of a line, and the end of the line.
  void append_stack(std::string& out, std::span<const Frame> frames, bool cut) {
    append_inner_stack(out, frames, cut);
    out += '\n';
  }

  // The same for an object inside a line.
  void append_inner_stack(std::string& out, std::span<const Frame> frames, bool cut) {
    out += R"(,"stack":[)";
    for (const Frame& frame : frames) {
      if (&frame != frames.data()) out += ',';
      out += this->frame(frame.method);
      append_json_number(out, names_.line(frame));
      out += R"(,"bci":)";
      append_json_number(out, frame.bci);
      out += '}';
    }
    out += cut ? "],\"truncated\":true}" : "]}";
  }

  void append_class(std::string& out, NameId id) {
    out += R"(,"class":)";
    out += cached(classes_, id, [&](std::string& text) {
      append_json_string(text, names_.table().class_name(id));
    });
  }

  // ,"thread":{"id":1,"name":"main"}
  void append_thread(std::string& out, std::int64_t id) {
    out += R"(,"thread":)";
    out += cached(threads_, id, [&](std::string& text) {
      append_thread_members(text, id, thread_name_of(data_, id));
    });
  }

 private:
  template <typename Key, typename Make>
  const std::string& cached(std::unordered_map<Key, std::string>& cache, Key key, Make make) {
    const auto [at, fresh] = cache.try_emplace(key);
    if (fresh) make(at->second);
    return at->second;
  }

  const ReportData& data_;
  ReportNames names_;
  std::unordered_map<NameId, std::string> methods_;
  std::unordered_map<NameId, std::string> classes_;
  std::unordered_map<std::int64_t, std::string> threads_;
};

// Tens of thousands of virtual threads may wait, at stacks of hundreds of frames. The summary has their
// number.
constexpr std::size_t kMostWaiting = 10'000;

// How many lines of sites and of time follow, so that a cut between two of them shows.
struct LineCounts {
  std::optional<std::size_t> sites = {};
  std::size_t time = 0;
};

void append_summary_line(std::string& out, const ReportData& data, const LineCounts& lines = {}) {
  out += R"({"type":"summary")";
  append_summary_members(out, data);
  if (lines.sites) append_json_member(out, "site_lines", *lines.sites);
  if (lines.time > 0) append_json_member(out, "time_lines", lines.time);
  out += "}\n";
}

void append_holders(const MonitorTime& monitor, Fragments& fragments, std::string& out) {
  if (monitor.holders.empty()) return;
  begin_json_member(out, "holders");
  append_json_array(out, monitor.holders, [&](const LockHolder& holder) {
    out += '{';
    append_json_member(out, "thread", holder.thread);
    append_json_member(out, "count", holder.count);
    append_json_member(out, "ns", holder.ns);
    fragments.append_inner_stack(out, holder.frames, holder.cut);
  });
}

void append_time(const TimeData& time, Fragments& fragments, ReportPieces& pieces) {
  std::string& out = pieces.text();
  for (const MethodTime& method : time.methods) {
    if (!pieces.wanted()) return;
    out += R"({"type":"method")";
    append_json_member(out, "class", method.class_name);
    append_json_member(out, "method", method.method);
    append_json_member(out, "signature", method.signature);
    append_json_member(out, "calls", method.calls);
    append_json_member(out, "exceptions", method.exceptions);
    append_json_member(out, "total_ns", method.total_ns);
    append_json_member(out, "self_ns", method.self_ns);
    append_json_member(out, "cpu_ns", method.cpu_ns);
    out += "}\n";
  }
  for (const StackSample& sample : time.samples) {
    if (!pieces.wanted()) return;
    out += R"({"type":"sample")";
    append_json_member(out, "count", sample.count);
    append_json_member(out, "thread", sample.thread);
    fragments.append_stack(out, sample.frames, sample.cut);
  }
  for (const MonitorTime& monitor : time.monitors) {
    if (!pieces.wanted()) return;
    out += R"({"type":"monitor")";
    append_json_member(out, "kind", name_of(monitor.kind));
    fragments.append_class(out, monitor.class_id);
    append_json_member(out, "count", monitor.count);
    append_json_member(out, "ns", monitor.ns);
    append_holders(monitor, fragments, out);
    fragments.append_stack(out, monitor.frames, monitor.cut);
  }
}

// The longest ones, up to `most`.
void append_waiting(const TimeData& time, std::size_t most, Fragments& fragments,
                    ReportPieces& pieces) {
  std::string& out = pieces.text();
  for (std::size_t i = 0; i < std::min(time.waiting.size(), most); ++i) {
    if (!pieces.wanted()) return;
    const OngoingWait& wait = time.waiting[i];
    out += R"({"type":"monitor")";
    append_json_member(out, "kind", name_of(wait.kind));
    fragments.append_class(out, wait.class_id);
    append_json_member(out, "count", 0);  // that it is not over: sums of these figures stay right
    append_json_member(out, "ns", 0);
    begin_json_member(out, "thread");
    append_thread_members(out, wait.thread_id, wait.thread);
    append_json_member(out, "waiting_ns", wait.ns);
    if (!wait.holder.empty()) append_json_member(out, "holder", wait.holder);
    fragments.append_stack(out, wait.frames, wait.cut);
  }
}

void append_sites(const ReportData& data, const SiteSet& sites, Fragments& fragments,
                  ReportPieces& pieces, bool living_only = false) {
  std::string& out = pieces.text();
  SiteSet::FrameBuffer buffer;
  for (std::size_t i = 0; i < sites.size() && pieces.wanted(); ++i) {
    const Site& site = sites[i];
    out += R"({"type":"site")";
    fragments.append_class(out, site.class_id);
    if (!living_only) {
      append_json_member(out, "count", site.count);
      append_json_member(out, "bytes", site.bytes);
    }
    if (data.summary.live) {
      append_json_member(out, "live_count", site.life.live_count);
      append_json_member(out, "live_bytes", site.life.live_bytes);
      begin_json_member(out, "live_ages");
      append_live_ages(out, sites.ages(site));
    }
    fragments.append_stack(out, sites.frames(site, buffer), sites.cut(site));
  }
}

void append_records(const ReportData& data, Fragments& fragments, ReportPieces& pieces) {
  std::string& out = pieces.text();
  for (std::size_t i = 0; i < data.records.size() && pieces.wanted(); ++i) {
    const auto [record, frames] = data.records[i];
    out += R"({"type":"record")";
    append_json_member(out, "seq", record.seq);
    append_json_member(out, "ms", record.time_ms);
    fragments.append_class(out, record.class_id);
    append_json_member(out, "size", record.size);
    if (data.summary.sampled()) {
      fmt::format_to(std::back_inserter(out), ",\"weight\":{}", record.weight);
    }
    fragments.append_thread(out, record.thread_id);
    const auto listed = data.records.listed(frames);
    fragments.append_stack(out, listed,
                           listed.size() < frames.size() || (record.flags & kStackTruncated) != 0);
  }
}

// {"class":,"method":,"file":,"line":}, or null
void append_frame(std::string& out, const FrameLine& frame, ReportNames& names) {
  if (!frame.known) {
    out += "null";
    return;
  }
  out += '{';
  append_frame_members(out, *names.method(frame.method).entry, frame.line);
  out += '}';
}

// The summary, followed by the output of `add`.
template <typename Add>
void behind_summary(const ReportData& data, const ReportSink& sink, const LineCounts& lines,
                    const Add& add) {
  Fragments fragments(data);
  ReportPieces pieces(sink);
  append_summary_line(pieces.text(), data, lines);
  add(fragments, pieces);
  pieces.finish();
}

// The same for lines of sites, which those of `add` follow, `time_lines` of time first.
template <typename Add>
void behind_sites(const ReportData& data, const ReportSink& sink, std::size_t time_lines,
                  const Add& add) {
  const SiteSet sites = data.sites.folded(kSpeltOutFrames);
  const LineCounts lines{sites.size(), time_lines};
  behind_summary(data, sink, lines, [&](Fragments& fragments, ReportPieces& pieces) {
    append_sites(data, sites, fragments, pieces);
    add(fragments, pieces);
  });
}

}  // namespace

void summary_line(const ReportData& data, const ReportSink& sink) {
  std::string line;
  append_summary_line(line, data);
  sink(line);
}

void site_list(const ReportData& data, const ReportSink& sink) {
  ReportNames names(data.names);
  const std::vector<AllocSite> sites = sites_of(data.sites, names, SiteFrame::kBoth);
  behind_summary(data, sink, {sites.size()}, [&](Fragments& fragments, ReportPieces& pieces) {
    std::string& out = pieces.text();
    for (const AllocSite& site : top_sites(sites, SiteOrder::kBytes, sites.size())) {
      if (!pieces.wanted()) return;
      out += R"({"type":"site")";
      fragments.append_class(out, site.class_id);
      append_json_member(out, "count", site.count);
      append_json_member(out, "bytes", site.bytes);
      if (data.summary.live) {
        begin_json_member(out, "live_ages");
        append_live_ages(out, site.ages);
      }
      begin_json_member(out, "at");
      append_frame(out, site.at, names);
      begin_json_member(out, "app");
      append_frame(out, site.app, names);
      out += "}\n";
    }
  });
}

void live_list(const ReportData& data, const ReportSink& sink) {
  const SiteSet sites = data.sites.living().folded(kSpeltOutFrames);
  behind_summary(data, sink, {sites.size()}, [&](Fragments& fragments, ReportPieces& pieces) {
    append_sites(data, sites, fragments, pieces, true);
  });
}

// {"type":"thread",id,name,count,bytes}, most bytes first, threads that have ended too.
void recent_threads(const ReportData& data, const ReportSink& sink) {
  behind_summary(data, sink, {}, [&](Fragments&, ReportPieces& pieces) {
    std::string& out = pieces.text();
    for (const ThreadTotal& thread : threads_of(data)) {
      if (thread.count == 0 || !pieces.wanted()) continue;
      out += R"({"type":"thread")";
      append_json_member(out, "id", thread.thread_id);
      append_json_member(out, "name", thread.name);
      append_json_member(out, "count", thread.count);
      append_json_member(out, "bytes", thread.bytes);
      out += "}\n";
    }
  });
}

void time_lines(const ReportData& data, const ReportSink& sink) {
  behind_summary(data, sink, {}, [&](Fragments& fragments, ReportPieces& pieces) {
    append_time(data.time, fragments, pieces);
    append_waiting(data.time, data.time.waiting.size(), fragments, pieces);
  });
}

void sites_jsonl_report(const ReportData& data, const ReportSink& sink) {
  behind_sites(data, sink, 0, [](Fragments&, ReportPieces&) {});
}

void jsonl_report(const ReportData& data, const ReportSink& sink) {
  const TimeData& time = data.time;
  const std::size_t lines = time.methods.size() + time.samples.size() + time.monitors.size() +
                            std::min(time.waiting.size(), kMostWaiting);
  behind_sites(data, sink, lines, [&](Fragments& fragments, ReportPieces& pieces) {
    append_time(data.time, fragments, pieces);
    append_waiting(data.time, kMostWaiting, fragments, pieces);
    append_records(data, fragments, pieces);
  });
}

}  // namespace ddm
