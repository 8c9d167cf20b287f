#include "saved_report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "allocations/store/sites.h"
#include "json_values.h"
#include "output.h"
#include "report/below_method.h"
#include "report/report_sites.h"
#include "report/report_words.h"
#include "site_figures.h"
#include "site_lines.h"
#include "text_pieces.h"

namespace ddm {
namespace {

std::map<std::string, std::int64_t> counts_of(const Json& object, const char* name) {
  std::map<std::string, std::int64_t> counts;
  const auto member = object.find(name);
  if (member == object.end() || !member->is_object()) return counts;
  for (const auto& [key, value] : member->items()) {
    if (value.is_number_integer()) counts[key] = value.get<std::int64_t>();
  }
  return counts;
}

std::optional<std::int64_t> figure_of(const Json& object, const char* name) {
  const auto member = object.find(name);
  if (member == object.end() || !member->is_number_integer()) return {};
  return member->get<std::int64_t>();
}

ReportSummary summary_of(const Json& line) {
  ReportSummary summary;
  summary.pid = number_of(line, "pid");
  summary.app = text_of(line, "app");
  summary.vm = text_of(line, "vm");
  summary.engine = text_of(line, "engine");
  summary.walker = text_of(line, "walker");
  summary.walks.gave_up = counts_of(line, "walker_gave_up");
  summary.walks.compared = number_of(line, "walker_compared");
  summary.walks.differed = counts_of(line, "walker_differed");
  summary.interval = number_of(line, "interval");
  summary.samples = figure_of(line, "samples");
  summary.seen = number_of(line, "seen");
  summary.seen_bytes = number_of(line, "seen_bytes");
  summary.seen_at_least = line.contains("seen_at_least");
  summary.dropped = number_of(line, "dropped");
  summary.dropped_reasons = counts_of(line, "dropped_reasons");
  summary.allocated_bytes = figure_of(line, "allocated_bytes");
  summary.unattributed_bytes = figure_of(line, "unattributed_bytes");
  summary.virtual_thread_stack_bytes = figure_of(line, "virtual_thread_stack_bytes");
  summary.classes_rewritten = number_of(line, "classes_rewritten");
  summary.classes_skipped = counts_of(line, "classes_skipped");
  summary.methods_skipped = counts_of(line, "methods_skipped");
  summary.sites_missing = text_of(line, "sites_missing");
  summary.tracked_ms = number_of(line, "tracked_ms");
  summary.process_start = static_cast<std::uint64_t>(number_of(line, "process_start"));
  summary.period = number_of(line, "period");
  summary.written_ms = number_of(line, "written_ms");
  summary.reason = text_of(line, "reason");
  summary.recovered = text_of(line, "recovered");
  summary.below = text_of(line, "below");
  summary.below_unknown_bytes = number_of(line, "below_unknown_bytes");
  summary.live_missing = line.contains("gc")
                             ? "of a saved report only ddm live FILE tells what was alive"
                             : text_of(line, "live_missing");
  for (const Json& method : array_of(line, "methods_running")) {
    if (method.is_string()) summary.methods_running.push_back(method.get<std::string>());
  }
  for (const Json& thread : array_of(line, "threads")) {
    if (!thread.is_object()) continue;
    summary.threads.push_back({number_of(thread, "id"), text_of(thread, "name"),
                               number_of(thread, "allocated_bytes"),
                               number_of(thread, "seen_bytes"), number_of(thread, "seen")});
  }
  return summary;
}

std::optional<SamplerFigures> sampler_of(const Json& line) {
  const auto member = line.find("sampler");
  if (member == line.end() || !member->is_object()) return {};
  SamplerFigures sampler;
  sampler.wall = text_of(*member, "clock") == "wall";
  sampler.requested_ns = number_of(*member, "asked_ns");
  sampler.mean_ns = number_of(*member, "mean_ns");
  sampler.longest_ns = number_of(*member, "longest_ns");
  sampler.budget = number_of(*member, "budget");
  sampler.on_ns = number_of(*member, "on_ns");
  sampler.own_ns = number_of(*member, "own_ns");
  sampler.others_ns = number_of(*member, "others_ns");
  sampler.rounds = number_of(*member, "looks");
  sampler.stacks = number_of(*member, "stacks");
  sampler.waiting = number_of(*member, "waiting");
  sampler.missed_ns = number_of(*member, "missed_ns");
  sampler.failed = counts_of(*member, "failed");
  return sampler;
}

MonitorKind kind_of(const Json& line) {
  const std::string name = text_of(line, "kind");
  for (const MonitorKind kind : {MonitorKind::kWait, MonitorKind::kPark, MonitorKind::kPin}) {
    if (name == name_of(kind)) return kind;
  }
  return MonitorKind::kEnter;
}

// The names of the file's classes and methods. A method's lines are those of all its frames, so its
// entry is complete only at the end of the file: until then frames have numbers of this class.
class SavedNames {
 public:
  NameId class_id(const Json& line) { return table_->add_class(text_of(line, "class")); }

  std::vector<Frame> frames(const Json& line) {
    std::vector<Frame> frames;
    for (const Json& one : array_of(line, "stack")) {
      if (one.is_object()) frames.push_back(frame(one));
    }
    return frames;
  }

  // Call once, at the end: what numbers stand for in the table.
  std::vector<NameId> finish() {
    std::vector<NameId> ids;
    for (auto& [method, lines] : methods_) {
      for (const auto& [bci, line] : lines) {
        method.lines.push_back({static_cast<std::uint16_t>(bci), static_cast<std::uint16_t>(line)});
      }
      ids.push_back(table_->add_method(std::move(method)));
    }
    return ids;
  }

  const std::shared_ptr<NameTable>& table() const { return table_; }

 private:
  using Key = std::tuple<std::string, std::string, std::string, std::string>;

  Frame frame(const Json& one) {
    Key key{text_of(one, "class"), text_of(one, "method"), text_of(one, "signature"),
            text_of(one, "file")};
    if (std::get<1>(key) == kFramesLeftOut && std::get<0>(key).empty()) {
      return {kLeftOutName, kNativeFrameBci};
    }
    const auto line = number_of(one, "line");
    const auto [at, is_new] = numbers_.try_emplace(key, methods_.size());
    if (is_new) {
      MethodName method;
      std::tie(method.class_name, method.method, method.signature, method.file) = key;
      method.native = line == kLineNative;
      methods_.emplace_back(std::move(method), std::map<std::int64_t, std::int64_t>());
    }
    const auto bci = std::clamp<std::int64_t>(number_of(one, "bci"), kNativeFrameBci, 0xFFFF);
    if (line > 0 && bci >= 0) methods_[at->second].second[bci] = line;
    return {static_cast<NameId>(at->second), static_cast<std::int32_t>(bci)};
  }

  const std::shared_ptr<NameTable> table_ = std::make_shared<NameTable>();
  std::map<Key, std::size_t> numbers_;
  std::vector<std::pair<MethodName, std::map<std::int64_t, std::int64_t>>> methods_;
};

class SavedReportReader {
 public:
  // `sites_alone`: of a .sites.jsonl, whose summary tells of records and times that it does not have.
  explicit SavedReportReader(bool sites_alone) : sites_alone_(sites_alone) {}

  bool feed(std::string_view piece) {
    return lines_.feed(piece, [this](std::string_view text) { return line(text); });
  }

  Result<ReportData> finish() {
    if (!lines_.rest().empty()) line(lines_.rest());
    if (problem_.empty() && head_.is_null()) problem_ = "it is empty";
    if (!problem_.empty()) return Error{problem_};
    if (auto cut = site_lines_.check()) return *cut;
    const auto recorded = static_cast<std::int64_t>(records_.size());
    if (!sites_alone_ && (recorded != number_of(head_, "recorded") ||
                          time_lines_ < number_of(head_, "time_lines"))) {
      return Error{fmt::format("it is cut: it has {} of its {} records", grouped(recorded),
                               grouped(number_of(head_, "recorded")))};
    }
    name_all(names_.finish());
    if (auto no_memory = add_sites()) return *no_memory;
    for (auto record = records_.rbegin(); record != records_.rend(); ++record) {
      data_.records.append_newer(record->first, record->second);
    }
    data_.names = names_.table().get();
    data_.names_held = names_.table();
    return std::move(data_);
  }

 private:
  struct SavedSite {
    NameId class_id;
    double count, bytes;
    std::vector<Frame> frames;
    bool cut;
  };

  bool line(std::string_view text) {
    const Json object = parsed_json(text);
    const std::string type = object.is_object() ? text_of(object, "type") : std::string();
    if (type == "summary") {
      if (auto second = site_lines_.summary(object)) problem_ = second->message;
      if (head_.is_null()) begin(object);
    } else if (head_.is_null()) {
      problem_ = "its first line is no summary";
    } else if (type == "site") {
      site_lines_.site(object);
      sites_.push_back({names_.class_id(object), static_cast<double>(number_of(object, "count")),
                        static_cast<double>(number_of(object, "bytes")), names_.frames(object),
                        is_cut(object)});
    } else if (type == "record") {
      record(object);
    } else if (type.empty()) {
      problem_ = "it has a line that is no JSON object with a type";
    } else {
      time(type, object);
    }
    return problem_.empty();
  }

  void begin(const Json& object) {
    head_ = object;
    data_.summary = summary_of(object);
    data_.time.sampler = sampler_of(object);
    data_.time.incomplete = text_of(object, "incomplete");
    data_.time.not_timed = counts_of(object, "not_timed");
    const std::string monitor = text_of(object, "monitor");
    if (!monitor.empty()) data_.time.monitor_on = monitor == "on";
  }

  void record(const Json& object) {
    AllocRecord record;
    record.seq = static_cast<std::uint64_t>(number_of(object, "seq"));
    record.time_ms = number_of(object, "ms");
    record.size = number_of(object, "size");
    record.class_id = names_.class_id(object);
    record.weight = weight_of(object);
    if (is_cut(object)) record.flags = kStackTruncated;
    if (const auto thread = object.find("thread"); thread != object.end() && thread->is_object()) {
      record.thread_id = number_of(*thread, "id");
      data_.thread_names[record.thread_id] = text_of(*thread, "name");
    }
    records_.emplace_back(record, names_.frames(object));
  }

  void time(const std::string& type, const Json& object) {
    TimeData& time = data_.time;
    ++time_lines_;
    if (type == "method") {
      time.methods.push_back({text_of(object, "class"), text_of(object, "method"),
                              text_of(object, "signature"), number_of(object, "calls"),
                              number_of(object, "exceptions"), number_of(object, "total_ns"),
                              number_of(object, "self_ns"), number_of(object, "cpu_ns")});
    } else if (type == "sample") {
      time.samples.push_back({number_of(object, "count"), text_of(object, "thread"),
                              names_.frames(object), is_cut(object)});
    } else if (type == "monitor" && object.contains("waiting_ns")) {
      const Json thread = object.value("thread", Json::object());
      time.waiting.push_back({kind_of(object), names_.class_id(object), number_of(thread, "id"),
                              text_of(thread, "name"), number_of(object, "waiting_ns"),
                              text_of(object, "holder"), names_.frames(object), is_cut(object)});
    } else if (type == "monitor") {
      MonitorTime& monitor = time.monitors.emplace_back(MonitorTime{kind_of(object),
                                                                    names_.class_id(object),
                                                                    number_of(object, "count"),
                                                                    number_of(object, "ns"),
                                                                    names_.frames(object),
                                                                    is_cut(object),
                                                                    {}});
      for (const Json& holder : array_of(object, "holders")) {
        if (!holder.is_object()) continue;
        monitor.holders.push_back({text_of(holder, "thread"), number_of(holder, "count"),
                                   number_of(holder, "ns"), names_.frames(holder), is_cut(holder)});
      }
    }
  }

  void name_all(const std::vector<NameId>& ids) {
    const auto name = [&](std::vector<Frame>& frames) {
      for (Frame& frame : frames) {
        if (frame.method != kLeftOutName) frame.method = ids[frame.method];
      }
    };
    for (SavedSite& site : sites_) name(site.frames);
    for (auto& [record, frames] : records_) name(frames);
    for (StackSample& sample : data_.time.samples) name(sample.frames);
    for (OngoingWait& wait : data_.time.waiting) name(wait.frames);
    for (MonitorTime& monitor : data_.time.monitors) {
      name(monitor.frames);
      for (LockHolder& holder : monitor.holders) name(holder.frames);
    }
  }

  std::optional<Error> add_sites() {
    if (!head_.contains("sites")) return {};
    // A stack that the report cuts has as many frames as it keeps of any.
    const auto depth = std::clamp<std::int64_t>(number_of(head_, "sites_depth"), 1, kMaxTreeDepth);
    const auto sites = Sites::of(CallTree::create(kMaxTraces, static_cast<std::uint32_t>(depth)));
    if (!sites) return Error{"there is not enough memory for its stacks"};
    SiteReadings sums;
    for (SavedSite& site : sites_) {
      const auto kept = static_cast<std::size_t>(depth);
      if (site.cut && site.frames.size() == kept) site.frames.push_back({kUnknownName, 0});
      const TraceNumber trace =
          site.frames.empty() ? kEmptyTrace : sites->traces().number_of(site.frames);
      sums.sums.push_back({site.class_id, trace, site.count, site.bytes});
    }
    const ReportSummary& summary = data_.summary;
    data_.sites = SiteSet(sites, std::move(sums), {}, summary.seen, summary.seen_bytes);
    data_.sites.set_incomplete(number_of(head_, "sites_unplaced"),
                               number_of(head_, "sites_shortened"));
    return {};
  }

  const bool sites_alone_;
  LineSplitter lines_;
  SiteLines site_lines_;
  std::string problem_;
  Json head_;
  ReportData data_;
  SavedNames names_;
  std::vector<SavedSite> sites_;
  std::vector<std::pair<AllocRecord, std::vector<Frame>>> records_;  // newest first
  std::int64_t time_lines_ = 0;
};

}  // namespace

Result<ReportData> read_saved_report(const std::string& path) {
  SavedReportReader reader(path.ends_with(".sites.jsonl"));
  if (auto unread = read_pieces(path, [&](std::string_view piece) { return reader.feed(piece); })) {
    return *unread;
  }
  auto data = reader.finish();
  if (!data) return Error{path + " is no whole jsonl report: " + data.message()};
  return data;
}

std::optional<Error> write_saved(ReportData data, const std::string& path, bool recent,
                                 const std::string& below) {
  if (recent) {
    if (data.records.empty()) return Error{"it has no single records"};
    data.sites = SiteSet();
    data.summary.sites_missing = "it is of the recent records alone";
  }
  if (!below.empty()) {
    keep_below(data, below);
    if (data.summary.seen == 0 && data.time.empty()) {
      return Error{fmt::format("nothing in it is below {}", below)};
    }
  }
  if (path == "-") {
    text_report(data, print_piece);
    return {};
  }
  const ReportFormat format = *report_format_of(path);
  if (const std::string lacks = lacks_for(format, data); !lacks.empty()) {
    return Error{fmt::format("'{}' needs {}", path, lacks)};
  }
  return write_report_file(path, format, data);
}

}  // namespace ddm
