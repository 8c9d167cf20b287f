// The jsonl report: a summary object, one object a site, most bytes first, then one a record,
// newest first.
#include <fmt/format.h>

#include <unordered_map>

#include "records/report.h"
#include "records/report_json.h"
#include "records/report_names.h"
#include "records/report_pieces.h"
#include "records/report_sites.h"

namespace ddm {
namespace {

// Escaped pieces of objects, each made once.
class Fragments {
 public:
  explicit Fragments(const ReportData& data, ReportNames& names) : data_(data), names_(names) {}

  // {"class":"a.B","method":"m","signature":"()V","file":"B.java","line":
  const std::string& frame(NameId id) {
    return cached(methods_, id, [&](std::string& text) {
      const MethodName& method = *names_.method(id).entry;
      text = R"({"class":)";
      append_json_string(text, method.class_name);
      text += R"(,"method":)";
      append_json_string(text, method.method);
      text += R"(,"signature":)";
      append_json_string(text, method.signature);
      text += R"(,"file":)";
      append_json_string(text, method.file);
      text += R"(,"line":)";
    });
  }

  // The last member of an object and its end.
  void append_stack(std::string& out, std::span<const Frame> frames, bool cut) {
    out += R"(,"stack":[)";
    for (const Frame& frame : frames) {
      if (&frame != frames.data()) out += ',';
      out += this->frame(frame.method);
      append_json_number(out, line_of(*names_.method(frame.method).entry, frame.bci));
      out += R"(,"bci":)";
      append_json_number(out, frame.bci);
      out += '}';
    }
    out += cut ? "],\"truncated\":true}\n" : "]}\n";
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

}  // namespace

void summary_line(const ReportData& data, const ReportSink& sink) {
  std::string line;
  append_summary_line(line, data);
  sink(line);
}

void jsonl_report(const ReportData& data, const ReportSink& sink) {
  ReportNames names(data.names);
  Fragments fragments(data, names);
  ReportPieces pieces(sink);
  std::string& out = pieces.text();
  append_summary_line(out, data);
  const SiteSet sites = data.sites.folded(kSpeltOutFrames);
  SiteSet::Room room;
  for (std::size_t i = 0; i < sites.size() && pieces.wanted(); ++i) {
    const Site& site = sites[i];
    out += R"({"type":"site","class":)";
    out += fragments.class_name(site.class_id);
    out += R"(,"count":)";
    append_json_number(out, site.count);
    out += R"(,"bytes":)";
    append_json_number(out, site.bytes);
    fragments.append_stack(out, sites.frames(site, room), sites.cut(site));
  }
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
  pieces.finish();
}

}  // namespace ddm
