// JSON is written without a library: a report of 65,536 records with 16 frames has a hundred
// megabytes, most of it copies of fragments that are escaped once.
#include "report/report_json.h"

#include <fmt/format.h>

namespace ddm {
namespace {

void append_counts(std::string& out, std::string_view key,
                   const std::map<std::string, std::int64_t>& counts) {
  begin_json_member(out, key);
  out += '{';
  for (const auto& [name, count] : counts) {
    if (out.back() != '{') out += ',';
    append_json_string(out, name);
    out += ':';
    append_json_number(out, count);
  }
  out += '}';
}

void append_sampler(std::string& out, const SamplerFigures& sampler) {
  begin_json_member(out, "sampler");
  out += '{';
  if (sampler.wall) append_json_member(out, "clock", "wall");
  append_json_member(out, "asked_ns", sampler.requested_ns);
  append_json_member(out, "mean_ns", sampler.mean_ns);
  append_json_member(out, "longest_ns", sampler.longest_ns);
  append_json_member(out, "budget", sampler.budget);
  append_json_member(out, "on_ns", sampler.on_ns);
  append_json_member(out, "own_ns", sampler.own_ns);
  append_json_member(out, "others_ns", sampler.others_ns);
  append_json_member(out, "looks", sampler.rounds);
  append_json_member(out, "stacks", sampler.stacks);
  append_json_member(out, "waiting", sampler.waiting);
  append_json_member(out, "missed_ns", sampler.missed_ns);
  append_counts(out, "failed", sampler.failed);
  out += '}';
}

}  // namespace

void append_json_number(std::string& out, std::int64_t number) {
  const fmt::format_int digits(number);
  out.append(digits.data(), digits.size());
}

void append_json_number(std::string& out, const std::optional<std::int64_t>& number) {
  if (number) return append_json_number(out, *number);
  out += "null";
}

void begin_json_member(std::string& out, std::string_view key) {
  if (!out.empty() && out.back() != '{') out += ',';
  out.append("\"").append(key).append("\":");
}

void append_frame_head(std::string& out, const MethodName& method, bool with_signature) {
  append_json_member(out, "class", method.class_name);
  append_json_member(out, "method", method.method);
  if (with_signature) append_json_member(out, "signature", method.signature);
  append_json_member(out, "file", method.file);
  begin_json_member(out, "line");
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
    append_json_member(out, "survived", AgeClass::least(i));
    append_json_member(out, "count", ages.count[i]);
    append_json_member(out, "bytes", ages.bytes[i]);
    out += '}';
  }
  out += ']';
}

void append_summary_members(std::string& out, const ReportData& data) {
  const ReportSummary& summary = data.summary;
  const auto add = [&out](std::string_view key, const auto& value) {
    append_json_member(out, key, value);
  };
  add("pid", summary.pid);
  add("app", summary.app);
  add("engine", summary.engine);
  add("walker", summary.walker);
  add("interval", summary.interval);
  if (summary.sampled()) add("samples", summary.samples);
  if (summary.seen_at_least) add("seen_at_least", true);
  add("seen", summary.seen);
  add("seen_bytes", summary.seen_bytes);
  add("recorded", data.records.size());
  if (data.sites.counted()) {
    add("sites", data.sites.size());
    add("sites_depth", data.sites.traces().depth());
    add("sites_shortened", data.sites.shortened());
    add("sites_unplaced", data.sites.unplaced());
  } else if (!summary.sites_missing.empty()) {
    add("sites_missing", summary.sites_missing);
  }
  if (const auto& live = summary.live) {
    add("gc", live->gc);
    add("live_count", live->count);
    add("live_bytes", live->bytes);
    begin_json_member(out, "live_ages");
    append_live_ages(out, data.sites.ages());
    add("live_one_in", live->one_in);
    if (summary.live_is_estimated()) add("live_estimated", true);
    add("live_followed_ms", live->followed_ms);
    append_counts(out, "live_not_followed", live->not_followed);
  } else if (!summary.live_missing.empty()) {
    add("live_missing", summary.live_missing);
  }
  if (data.records.overtaken() != 0) add("overtaken", data.records.overtaken());
  add("dropped", summary.dropped);
  add("unattributed_bytes", summary.unattributed_bytes);
  add("virtual_thread_stack_bytes", summary.virtual_thread_stack_bytes);
  add("classes_rewritten", summary.classes_rewritten);
  append_counts(out, "classes_skipped", summary.classes_skipped);
  append_counts(out, "methods_skipped", summary.methods_skipped);
  begin_json_member(out, "methods_running");
  append_json_array(out, summary.methods_running,
                    [&](const std::string& method) { append_json_string(out, method); });
  add("vm", summary.vm);
  add("tracked_ms", summary.tracked_ms);
  add("process_start", summary.process_start);
  add("period", summary.period);
  add("written_ms", summary.written_ms);
  add("reason", summary.reason);
  if (!summary.recovered.empty()) add("recovered", summary.recovered);
  if (!summary.below.empty()) add("below", summary.below);
  if (summary.below_unknown_bytes > 0) add("below_unknown_bytes", summary.below_unknown_bytes);
  add("shows", shown_by_engine(summary));
  if (data.time.sampler) append_sampler(out, *data.time.sampler);
  if (!data.time.not_timed.empty()) append_counts(out, "not_timed", data.time.not_timed);
  if (data.time.monitor_on) add("monitor", *data.time.monitor_on ? "on" : "off");
  if (!data.time.waiting.empty()) add("waiting", data.time.waiting.size());
  if (!data.time.incomplete.empty()) add("incomplete", data.time.incomplete);
  add("allocated_bytes", summary.allocated_bytes);
  append_counts(out, "dropped_reasons", summary.dropped_reasons);
  append_counts(out, "walker_gave_up", summary.walks.gave_up);
  add("walker_compared", summary.walks.compared);
  append_counts(out, "walker_differed", summary.walks.differed);
  begin_json_member(out, "threads");
  const bool attributed = summary.unattributed_bytes.has_value();
  append_json_array(out, summary.threads, [&](const ThreadBytes& thread) {
    out += '{';
    add("id", thread.thread_id);
    add("name", thread.name);
    add("allocated_bytes", thread.allocated_bytes);
    add("seen_bytes", thread.seen_bytes);
    add("seen", thread.seen);
    add("unattributed_bytes",
        attributed ? std::optional(thread.unattributed_bytes()) : std::nullopt);
    out += '}';
  });
}

}  // namespace ddm
