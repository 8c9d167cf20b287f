// The jsonl report: a summary object, an object per site, most bytes first, one per figure of time,
// then one per record, newest first.
#include <fmt/format.h>

#include <unordered_map>
#include <utility>

#include "report/report.h"
#include "report/report_json.h"
#include "report/report_names.h"
#include "report/report_pieces.h"
#include "report/report_sites.h"

namespace ddm {
namespace {

// Caches escaped fragments of objects.
class Fragments {
 public:
  explicit Fragments(const ReportData& data, ReportNames& names) : data_(data), names_(names) {}

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
      append_json_number(out, line_of(*names_.method(frame.method).entry, frame.bci));
      out += R"(,"bci":)";
      append_json_number(out, frame.bci);
      out += '}';
    }
    out += cut ? "],\"truncated\":true}" : "]}";
  }

  const std::string& class_name(NameId id) {
    return cached(classes_, id, [&](std::string& text) {
      append_json_string(text, names_.table().class_name(id));
    });
  }

  // {"id":1,"name":"main"}
  const std::string& thread(std::int64_t id) {
    return cached(threads_, id, [&](std::string& text) {
      text = R"({"id":)";
      append_json_number(text, id);
      text += R"(,"name":)";
      append_json_string(text, thread_name_of(data_, id));
      text += '}';
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
  ReportNames& names_;
  std::unordered_map<NameId, std::string> methods_;
  std::unordered_map<NameId, std::string> classes_;
  std::unordered_map<std::int64_t, std::string> threads_;
};

void append_summary_line(std::string& out, const ReportData& data) {
  out += R"({"type":"summary",)";
  append_summary_members(out, data);
  out += "}\n";
}

void append_count(std::string& out, std::string_view key, std::int64_t count) {
  out.append(1, ',').append(1, '"').append(key).append("\":");
  append_json_number(out, count);
}

void append_text(std::string& out, std::string_view key, std::string_view text) {
  out.append(1, ',').append(1, '"').append(key).append("\":");
  append_json_string(out, text);
}

void append_holders(const MonitorTime& monitor, Fragments& fragments, std::string& out) {
  if (monitor.holders.empty()) return;
  out += R"(,"holders":)";
  char before = '[';
  for (const LockHolder& holder : monitor.holders) {
    out.append(1, std::exchange(before, ',')).append(R"({"thread":)");
    append_json_string(out, holder.thread);
    append_count(out, "count", holder.count);
    append_count(out, "ns", holder.ns);
    fragments.append_inner_stack(out, holder.frames, holder.cut);
  }
  out += ']';
}

void append_time(const TimeData& time, Fragments& fragments, ReportPieces& pieces) {
  std::string& out = pieces.text();
  for (const MethodTime& method : time.methods) {
    if (!pieces.wanted()) return;
    out += R"({"type":"method")";
    append_text(out, "class", method.class_name);
    append_text(out, "method", method.method);
    append_text(out, "signature", method.signature);
    append_count(out, "calls", method.calls);
    append_count(out, "exceptions", method.exceptions);
    append_count(out, "total_ns", method.total_ns);
    append_count(out, "self_ns", method.self_ns);
    append_count(out, "cpu_ns", method.cpu_ns);
    out += "}\n";
  }
  for (const StackSample& sample : time.samples) {
    if (!pieces.wanted()) return;
    out += R"({"type":"sample")";
    append_count(out, "count", sample.count);
    append_text(out, "thread", sample.thread);
    fragments.append_stack(out, sample.frames, sample.cut);
  }
  for (const MonitorTime& monitor : time.monitors) {
    if (!pieces.wanted()) return;
    out += R"({"type":"monitor")";
    append_text(out, "kind", name_of(monitor.kind));
    out += R"(,"class":)";
    out += fragments.class_name(monitor.class_id);
    append_count(out, "count", monitor.count);
    append_count(out, "ns", monitor.ns);
    append_holders(monitor, fragments, out);
    fragments.append_stack(out, monitor.frames, monitor.cut);
  }
}

void append_waiting(const TimeData& time, Fragments& fragments, ReportPieces& pieces) {
  std::string& out = pieces.text();
  for (const OngoingWait& wait : time.waiting) {
    if (!pieces.wanted()) return;
    out += R"({"type":"waiting")";
    append_text(out, "kind", name_of(wait.kind));
    out += R"(,"class":)";
    out += fragments.class_name(wait.class_id);
    out += R"(,"thread":)";
    out += fragments.thread(wait.thread_id);
    append_count(out, "ns", wait.ns);
    if (!wait.holder.empty()) append_text(out, "holder", wait.holder);
    fragments.append_stack(out, wait.frames, wait.cut);
  }
}

void append_sites(const ReportData& data, const SiteSet& sites, Fragments& fragments,
                  ReportPieces& pieces, bool living_only = false) {
  std::string& out = pieces.text();
  SiteSet::FrameBuffer buffer;
  for (std::size_t i = 0; i < sites.size() && pieces.wanted(); ++i) {
    const Site& site = sites[i];
    out += R"({"type":"site","class":)";
    out += fragments.class_name(site.class_id);
    if (!living_only) {
      append_count(out, "count", site.count);
      append_count(out, "bytes", site.bytes);
    }
    if (data.summary.live) {
      append_count(out, "live_count", site.life.live_count);
      append_count(out, "live_bytes", site.life.live_bytes);
      out += R"(,"live_ages":)";
      append_live_ages(out, sites.ages(site));
    }
    fragments.append_stack(out, sites.frames(site, buffer), sites.cut(site));
  }
}

void append_records(const ReportData& data, Fragments& fragments, ReportPieces& pieces) {
  std::string& out = pieces.text();
  for (std::size_t i = 0; i < data.records.size() && pieces.wanted(); ++i) {
    const auto [record, frames] = data.records[i];
    out += R"({"type":"record","seq":)";
    append_json_number(out, static_cast<std::int64_t>(record.seq));
    out += R"(,"ms":)";
    append_json_number(out, record.time_ms);
    out += R"(,"class":)";
    out += fragments.class_name(record.class_id);
    out += R"(,"size":)";
    append_json_number(out, record.size);
    if (data.summary.sampled())
      fmt::format_to(std::back_inserter(out), ",\"weight\":{}", record.weight);
    out += R"(,"thread":)";
    out += fragments.thread(record.thread_id);
    fragments.append_stack(out, frames, (record.flags & kStackTruncated) != 0);
  }
}

// The summary, followed by the output of `add`.
template <typename Add>
void behind_summary(const ReportData& data, const ReportSink& sink, const Add& add) {
  ReportNames names(data.names);
  Fragments fragments(data, names);
  ReportPieces pieces(sink);
  append_summary_line(pieces.text(), data);
  add(fragments, pieces);
  pieces.finish();
}

}  // namespace

void summary_line(const ReportData& data, const ReportSink& sink) {
  std::string line;
  append_summary_line(line, data);
  sink(line);
}

void live_list(const ReportData& data, const ReportSink& sink) {
  behind_summary(data, sink, [&](Fragments& fragments, ReportPieces& pieces) {
    append_sites(data, data.sites.living().folded(kSpeltOutFrames), fragments, pieces, true);
  });
}

void time_lines(const ReportData& data, const ReportSink& sink) {
  behind_summary(data, sink, [&](Fragments& fragments, ReportPieces& pieces) {
    append_time(data.time, fragments, pieces);
    append_waiting(data.time, fragments, pieces);
  });
}

void sites_jsonl_report(const ReportData& data, const ReportSink& sink) {
  behind_summary(data, sink, [&](Fragments& fragments, ReportPieces& pieces) {
    append_sites(data, data.sites.folded(kSpeltOutFrames), fragments, pieces);
  });
}

void jsonl_report(const ReportData& data, const ReportSink& sink) {
  behind_summary(data, sink, [&](Fragments& fragments, ReportPieces& pieces) {
    append_sites(data, data.sites.folded(kSpeltOutFrames), fragments, pieces);
    append_time(data.time, fragments, pieces);
    append_records(data, fragments, pieces);
  });
}

}  // namespace ddm
