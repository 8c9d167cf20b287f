// JSON is written without a library: a report of 65,536 records with 16 frames has a hundred
// megabytes, most of it copies of fragments that are escaped once.
#include "report/report_json.h"

#include <fmt/format.h>

#include "core/jvm_text.h"

namespace ddm {
namespace {

class Members {
 public:
  explicit Members(std::string& out) : out_(out) {}

  void text(std::string_view key, std::string_view value) {
    begin(key);
    append_json_string(out_, value);
  }
  void number(std::string_view key, std::int64_t value) {
    begin(key);
    append_json_number(out_, value);
  }
  void number(std::string_view key, const std::optional<std::int64_t>& value) {
    if (value) return number(key, *value);
    begin(key);
    out_ += "null";
  }
  void boolean(std::string_view key, bool value) {
    begin(key);
    out_ += value ? "true" : "false";
  }
  void counts(std::string_view key, const std::map<std::string, std::int64_t>& values) {
    begin(key);
    out_ += '{';
    Members inner(out_);
    for (const auto& [name, count] : values) inner.number(name, count);
    out_ += '}';
  }
  void begin(std::string_view key) {
    if (!first_) out_ += ',';
    first_ = false;
    append_json_string(out_, key);
    out_ += ':';
  }

 private:
  std::string& out_;
  bool first_ = true;
};

}  // namespace

void append_json_string(std::string& out, std::string_view jvm_text) {
  const std::string text = utf8_of(jvm_text);
  out += '"';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else if (c == '<' && i + 1 < text.size() && (text[i + 1] == '/' || text[i + 1] == '!')) {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_json_number(std::string& out, std::int64_t number) {
  const fmt::format_int digits(number);
  out.append(digits.data(), digits.size());
}

void append_frame_head(std::string& out, const MethodName& method, bool with_signature) {
  out += R"("class":)";
  append_json_string(out, method.class_name);
  out += R"(,"method":)";
  append_json_string(out, method.method);
  if (with_signature) {
    out += R"(,"signature":)";
    append_json_string(out, method.signature);
  }
  out += R"(,"file":)";
  append_json_string(out, method.file);
  out += R"(,"line":)";
}

void append_frame_members(std::string& out, const MethodName& method, int line) {
  append_frame_head(out, method, /*with_signature=*/false);
  append_json_number(out, line);
}

void append_live_ages(std::string& out, const LiveAges& ages) {
  out += '[';
  for (std::size_t i = 0; i < AgeClass::kCount; ++i) {
    if (ages.count[i] == 0) continue;
    out += out.back() == '[' ? "{" : ",{";
    Members members(out);
    members.number("survived", AgeClass::least(i));
    members.number("count", ages.count[i]);
    members.number("bytes", ages.bytes[i]);
    out += '}';
  }
  out += ']';
}

void append_summary_members(std::string& out, const ReportData& data) {
  const ReportSummary& summary = data.summary;
  Members members(out);
  members.number("pid", summary.pid);
  members.text("app", summary.app);
  members.text("engine", summary.engine);
  members.text("walker", summary.walker);
  members.number("interval", summary.interval);
  if (summary.sampled()) members.number("samples", summary.samples);
  if (summary.seen_at_least) members.boolean("seen_at_least", true);
  members.number("seen", summary.seen);
  members.number("seen_bytes", summary.seen_bytes);
  members.number("recorded", static_cast<std::int64_t>(data.records.size()));
  if (data.sites.counted()) {
    members.number("sites", static_cast<std::int64_t>(data.sites.size()));
    members.number("sites_depth", data.sites.depth());
    members.number("sites_shortened", data.sites.shortened());
    members.number("sites_unplaced", data.sites.unplaced());
  }
  if (const auto& live = summary.live) {
    members.number("gc", static_cast<std::int64_t>(live->gc));
    members.number("live_count", live->count);
    members.number("live_bytes", live->bytes);
    members.begin("live_ages");
    append_live_ages(out, data.sites.ages());
    members.number("live_one_in", live->one_in);
    if (summary.live_is_estimated()) members.boolean("live_estimated", true);
    members.number("live_followed_ms", live->followed_ms);
    members.counts("live_not_followed", live->not_followed);
  }
  if (data.records.overtaken() != 0) members.number("overtaken", data.records.overtaken());
  members.number("dropped", summary.dropped);
  members.number("unattributed_bytes", summary.unattributed_bytes);
  members.number("virtual_thread_stack_bytes", summary.virtual_thread_stack_bytes);
  members.number("classes_rewritten", summary.classes_rewritten);
  members.counts("classes_skipped", summary.classes_skipped);
  members.counts("methods_skipped", summary.methods_skipped);
  members.begin("methods_running");
  out += '[';
  for (const std::string& method : summary.methods_running) {
    if (&method != summary.methods_running.data()) out += ',';
    append_json_string(out, method);
  }
  out += ']';
  members.text("vm", summary.vm);
  members.number("tracked_ms", summary.tracked_ms);
  members.number("process_start", static_cast<std::int64_t>(summary.process_start));
  members.number("period", summary.period);
  members.number("written_ms", summary.written_ms);
  members.text("reason", summary.reason);
  if (!summary.recovered.empty()) members.text("recovered", summary.recovered);
  if (!summary.below.empty()) members.text("below", summary.below);
  members.text("shows", shown_by_engine(summary));
  if (const auto& sampler = data.time.sampler) {
    members.begin("sampler");
    out += '{';
    Members inner(out);
    if (sampler->wall) inner.text("clock", "wall");
    inner.number("asked_ns", sampler->requested_ns);
    inner.number("mean_ns", sampler->mean_ns);
    inner.number("longest_ns", sampler->longest_ns);
    inner.number("budget", sampler->budget);
    inner.number("on_ns", sampler->on_ns);
    inner.number("own_ns", sampler->own_ns);
    inner.number("others_ns", sampler->others_ns);
    inner.number("looks", sampler->rounds);
    inner.number("stacks", sampler->stacks);
    inner.number("waiting", sampler->waiting);
    inner.number("missed_ns", sampler->missed_ns);
    inner.counts("failed", sampler->failed);
    out += '}';
  }
  if (!data.time.not_timed.empty()) members.counts("not_timed", data.time.not_timed);
  if (data.time.monitor_on) members.text("monitor", *data.time.monitor_on ? "on" : "off");
  if (!data.time.incomplete.empty()) members.text("incomplete", data.time.incomplete);
  members.number("allocated_bytes", summary.allocated_bytes);
  members.counts("dropped_reasons", summary.dropped_reasons);
  members.counts("walker_gave_up", summary.walks.gave_up);
  members.number("walker_compared", summary.walks.compared);
  members.counts("walker_differed", summary.walks.differed);
  members.begin("threads");
  out += '[';
  for (const ThreadBytes& thread : summary.threads) {
    if (&thread != summary.threads.data()) out += ',';
    out += '{';
    Members inner(out);
    inner.number("id", thread.thread_id);
    inner.text("name", thread.name);
    inner.number("allocated_bytes", thread.allocated_bytes);
    inner.number("seen_bytes", thread.seen_bytes);
    inner.number("seen", thread.seen);
    if (!summary.sampled()) inner.number("unattributed_bytes", thread.unattributed_bytes());
    out += '}';
  }
  out += ']';
}

}  // namespace ddm
