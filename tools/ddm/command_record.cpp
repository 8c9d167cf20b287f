// ddm record: writes a report of what a program allocates in the next seconds. Afterwards tracking
// is as before: off, or on with all its figures.
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>

#include "allocations/store/sampling.h"
#include "command.h"
#include "core/temporary_directory.h"
#include "file_at_end.h"
#include "interrupt.h"
#include "json_values.h"
#include "report/report_pieces.h"
#include "report/report_words.h"
#include "report_fetch.h"
#include "site_rows.h"
#include "switched_options.h"
#include "wire/chunks/report_chunk.h"
#include "wire/chunks/switch_request.h"

namespace ddm {
namespace {

using Clock = std::chrono::steady_clock;

struct RecordOptions {
  std::string target;
  std::string path;
  std::string agent;
  double seconds = 30;
  WantedOptions wanted;
  std::string below;
  bool json = false;
};

bool to_stdout(const RecordOptions& options) { return options.path == "-"; }

std::string place_of(const RecordOptions& options) {
  return to_stdout(options) ? "stdout" : options.path + size_note(options.path);
}

// Its path has been checked.
ReportFormat format_of(const RecordOptions& options) {
  return to_stdout(options) ? ReportFormat::kText : *report_format_of(options.path);
}

// Beside the report: on stderr where that is on stdout, or JSON.
void say(const RecordOptions& options, const std::string& what) {
  if (to_stdout(options) || options.json) {
    complain(what);
  } else {
    print_sentence(what);
  }
}

std::optional<Error> write_report(const RecordOptions& options, DdmClient& client) {
  return to_stdout(options) ? print_report(client, false, options.below)
                            : save_report(client, options.path, false, options.below);
}

// False: the program or the connection has ended.
bool wait(DdmClient& client, const RecordOptions& options, double& waited) {
  Progress progress(fmt::format("recording for {} s, Ctrl-C ends it", options.seconds));
  const Clock::time_point begin = Clock::now();
  const auto gone = client.idle(options.seconds, [&progress] {
    progress.show(0);
    return interrupted();
  });
  waited = std::chrono::duration<double>(Clock::now() - begin).count();
  return !gone;
}

std::string below_text(const RecordOptions& options) {
  return options.below.empty() ? "" : " below " + options.below;
}

void print_span(const RecordOptions& options, const SiteFigures& before, const SiteFigures& after,
                double waited) {
  print_rows(rows_between(before, after, RowsBy::kSite), RowsBy::kSite, 5);
  print("{}, {}{} in these {:.1f} s\n",
        counted(after.fact("seen") - before.fact("seen"), "allocation"),
        human_bytes(after.fact("seen_bytes") - before.fact("seen_bytes")), below_text(options),
        waited);
}

// What the report covers; the figures are of one that the program has not written itself. None: the
// time is not known.
void print_result(const RecordOptions& options, std::optional<double> seconds,
                  const SiteFigures* figures) {
  const auto fact = [figures](const char* name) {
    return figures != nullptr ? Json(figures->fact(name)) : Json();
  };
  print_json({{"file", json_text(options.path)},
              {"seconds", seconds ? Json(std::round(*seconds * 1000) / 1000) : Json()},
              {"seen", fact("seen")},
              {"seen_bytes", fact("seen_bytes")},
              {"ended", figures == nullptr}});
}

// The report that the program writes itself if it ends too early.
class ReportAtEnd {
 public:
  ReportAtEnd(const RecordOptions& options, const DdmClient& client, bool was_tracking)
      : options_(options),
        was_tracking_(was_tracking),
        file_(client, to_stdout(options) ? temporary_directory() + "/record.txt" : options.path) {}

  // Once tracking is on.
  void ask_for(DdmClient& client) {
    while (!file_.path().empty()) {
      const auto asked = client.request(to_chunk(ReportAtEndRequest{file_.path(), options_.below}));
      if (asked) return;
      if (!file_.refused(asked.error())) file_.forget(asked.message());
    }
    if (file_.program_has_ended()) return;  // which the next request finds out
    complain("if the program ends first, no report is kept: " + file_.lacking());
  }

  // The report has been fetched. If the program ends just now, it writes its own all the same.
  void cancel(DdmClient& client) const {
    if (file_.path().empty() || client.request(to_chunk(ReportAtEndRequest{}))) return;
    if (!FileAtEnd::connection_ends(client)) return;
    if (file_.await()) {
      file_.remove();
    } else if (const std::string told = file_.interruption(); !told.empty()) {
      complain(told);
    }
  }

  // A request has failed. If that is because the program ends, it writes the report that it was
  // asked for.
  int report_failure(DdmClient& client, double waited, const Error& error) const {
    if (FileAtEnd::connection_ends(client)) return finish(waited);
    return refuse(error.message);
  }

  // The program has ended, or is ending.
  int finish(double waited) const {
    const bool written = file_.await();
    const bool has_ended = file_.program_has_ended();
    const std::string ended =
        fmt::format("{} after {:.1f} s; ",
                    has_ended ? "the program ended" : "the connection was closed", waited);
    if (written && deliver()) {
      say(options_, ended + "report written to " + place_of(options_) +
                        (was_tracking_ ? ", of all tracking, which was on before" : ""));
      if (options_.json) {
        print_result(options_, was_tracking_ ? std::nullopt : std::optional(waited), nullptr);
      }
      return kExitOk;
    }
    if (written) {
      return refuse(ended + "its report is left in " + file_.place() + "; take it within a day");
    }
    if (const std::string told = file_.interruption(); !told.empty()) return refuse(told);
    const bool killed = has_ended && !file_.path().empty();
    return refuse(
        ended + "no report was written" +
        (killed ? " (one that is killed writes none; ring= keeps its recent records)" : ""));
  }

 private:
  // The file to where the report was asked for.
  bool deliver() const {
    bool whole = false;
    if (to_stdout(options_)) {
      std::string text;
      whole = !file_.read(into(text));
      print(text);
      whole = whole && output_complete();
    } else {
      whole = !write_report_file(options_.path,
                                 [this](const ReportSink& sink) { return !file_.read(sink); });
    }
    if (whole) file_.remove();
    return whole;
  }

  const RecordOptions& options_;
  const bool was_tracking_;  // so that the report covers more than the recording
  FileAtEnd file_;
};

// A page opens with the allocations; these links open its other parts.
void print_other_parts(const RecordOptions& options) {
  if (options.json || format_of(options) != ReportFormat::kHtml) return;
  if (options.wanted.cpu || options.wanted.wall)
    print("its samples: {}#of=samples\n", options.path);
  if (options.wanted.locks) print("its locks: {}#of=locks\n", options.path);
}

// What the report would not have, known as soon as tracking is on; "": it has everything.
std::string lacking(const RecordOptions& options, const Json& summary) {
  const ReportFormat format = format_of(options);
  const std::string why_not_live = text_of(summary, "live_missing");
  if (needs_live(format) && !summary.contains("gc")) {
    return fmt::format("'{}' tells how long objects live, {}", options.path,
                       options.wanted.live
                           ? "which the target cannot follow: " +
                                 (why_not_live.empty() ? "its log says why" : why_not_live)
                           : "and the target follows none; --live does for this recording");
  }
  if (needs_sites(format) && !summary.contains("sites")) {
    return fmt::format(
        "'{}' has sites only, which the target does not count ({}); .jsonl has its recent "
        "allocations",
        options.path, why_no_sites(summary));
  }
  return {};
}

// Whether samples or waits are below the method.
bool has_time_below(DdmClient& client, const RecordOptions& options) {
  const WantedOptions& wanted = options.wanted;
  if (!wanted.cpu && !wanted.wall && !wanted.locks) return false;
  const auto lines = fetch_time(client, {"sample", "monitor"}, options.below);
  return lines && lines->size() > 1;  // the first one is the summary
}

// If tracking was on, it goes on as it was, and the report is about more than the time asked for.
int record_for_a_while(const RecordOptions& options, DdmClient& client, bool was_tracking) {
  std::optional<SiteFigures> before;
  ReportAtEnd at_end(options, client, was_tracking);
  double waited = 0;
  if (const auto error = lease_tracking(client, true)) {
    return at_end.report_failure(client, waited, *error);
  }
  TrackingScope tracked(client);
  if (was_tracking) {
    auto figures = fetch_part(client, options.below);
    if (!figures) return at_end.report_failure(client, waited, figures.error());
    before = std::move(*figures);
  }
  at_end.ask_for(client);
  if (const auto format = format_of(options); needs_live(format) || needs_sites(format)) {
    const auto summary = fetch_summary(client);
    if (!summary) return at_end.report_failure(client, waited, summary.error());
    if (const std::string lacks = lacking(options, *summary); !lacks.empty()) return refuse(lacks);
  }
  if (!wait(client, options, waited)) return at_end.finish(waited);
  auto error = tracked.end();
  if (error) return at_end.report_failure(client, waited, *error);
  const auto after = fetch_part(client, options.below);
  if (!after) return at_end.report_failure(client, waited, after.error());
  error = write_report(options, client);
  if (error) return at_end.report_failure(client, waited, *error);
  at_end.cancel(client);
  if (to_stdout(options) && !output_complete()) return kExitRefused;  // which is told at the end
  const std::string tracked_time = human_duration(after->fact("tracked_ms"));
  if (options.json) {
    print_result(options, static_cast<double>(after->fact("tracked_ms")) / 1000, &*after);
  } else if (!before) {
    say(options, fmt::format("{}, {}{} in {}; report written to {}",
                             counted(after->fact("seen"), "allocation"),
                             human_bytes(after->fact("seen_bytes")), below_text(options),
                             tracked_time, place_of(options)));
  } else {
    const bool same_period = before->fact("period") == after->fact("period");
    if (same_period && after->covers_whole_run() && !to_stdout(options)) {
      print_span(options, *before, *after, waited);
    }
    say(options,
        fmt::format("report written to {}: tracking was on before{}, so it covers {} of tracking",
                    place_of(options), is_tracking(client) ? " and stays on" : "", tracked_time));
  }
  if (const auto note = estimate_note(*after, !before); !note.empty()) say(options, note);
  print_other_parts(options);
  // It may be misspelled, unless samples or waits are below it.
  if (!options.below.empty() && after->fact("seen") == 0) {
    const std::string nothing = nothing_below_text("the program", options.below, after->cut_bytes);
    if (!has_time_below(client, options)) return refuse(nothing);
    complain(nothing);
  }
  return kExitOk;
}

// "recorded-shop.Shop.html" in the working directory, or with the first number that is free.
std::string free_name(const std::string& target) {
  const std::string name = (target.empty() ? "recorded" : "recorded-") + in_file_name(target);
  std::string path = name + ".html";
  for (int i = 2; access(path.c_str(), F_OK) == 0; ++i) path = fmt::format("{}-{}.html", name, i);
  return path;
}

// The formats with more than allocations. In a recording there are always allocations, without
// which a profile or collapsed stacks would be of time.
bool has_time_too(ReportFormat format) {
  return format == ReportFormat::kHtml || format == ReportFormat::kText ||
         format == ReportFormat::kJsonl || format == ReportFormat::kHprofText;
}

int record(const RecordOptions& given) {
  RecordOptions options = given;
  if (to_stdout(options) && options.json) return misused("-o -: --json is for stdout, too");
  if (options.path.empty()) options.path = free_name(options.target);
  if (!to_stdout(options) && !report_format_of(options.path)) {
    return misused(fmt::format("'{}': a report ends in {}", options.path, kReportEndings));
  }
  const WantedOptions& wanted = options.wanted;
  if ((wanted.cpu || wanted.wall || wanted.locks) && !has_time_too(format_of(options))) {
    return misused(fmt::format(
        "'{}' has allocations only; .html, .txt, .jsonl and .hprof.txt have samples and waits, too",
        options.path));
  }
  const std::string problem = to_stdout(options) ? "" : unwritable(options.path);
  if (!problem.empty()) return refuse(problem);
  bool loaded = false;
  auto client = connect_or_load(options.target, options.agent, loaded);
  if (!client) return refuse(client.message());
  if (!client->offers(kReportFeature)) {
    return refuse(
        "the target is another DDM server, which writes no reports; `ddm track` and "
        "`ddm allocs --recent` show what it records");
  }
  const auto state = client->get<TrackingState>({TrackingState::kType, {}});
  if (!state) return refuse(state.message());
  if (state->on && options.wanted.interval > 0) {
    return refuse("tracking is on, and another interval would begin its figures anew; `ddm track " +
                  options.target + " off` first");
  }
  catch_interrupts();
  const auto switched = SwitchedOptions::on(*client, options.wanted);
  if (!switched) return refuse(switched.message());
  const int code = record_for_a_while(options, *client, state->on);
  if (const std::string& parts = switched->on_before(); !parts.empty() && code == kExitOk) {
    say(options, parts + " were on before, so the report covers them from then on");
  }
  if (loaded && code == kExitOk && find_target(options.target)) {
    say(options, "the agent stays loaded; tracking is off");
  }
  return code;
}

}  // namespace

void add_record(CLI::App& app, Command& chosen) {
  const auto [command, options] = add_command(
      app, chosen, "record",
      "Record allocations for some time and write a report; loads the agent if needed", record);
  add_text(command, "PID", options.target, kTargetHelp);
  WantedOptions& wanted = options.wanted;
  const auto cpu =
      add_flag(command, "--cpu", wanted.cpu, "Also sample running threads (cpu=samples)");
  const auto wall = add_flag(command, "--wall", wanted.wall,
                             "Also sample all threads, waiting ones included (cpu=wall)");
  exclude(wall, {cpu});
  add_flag(command, "--locks", wanted.locks, "Also time the waits for locks (monitor=y)");
  add_flag(command, "--live", wanted.live, "Also count live objects (live=y)");
  add_bytes(command, "--interval", wanted.interval,
            "Sample allocations at this interval in bytes instead of recording all (512k)", 1,
            kMaxSamplingInterval);
  add_text(command, "--below", options.below,
           "Only events in this method and its callees: shop.Shop.serve, or serve", "METHOD");
  add_duration(command, "-d,--for", options.seconds,
               "Duration; Ctrl-C ends it early, and still writes", 0.001, kMaxSeconds);
  add_file(
      command, "-o", options.path,
      fmt::format("The report: {}; -: as text to stdout; by default a generated name, which is "
                  "printed",
                  kReportEndings));
  add_agent(command, options.agent);
  add_flag(command, "--json", options.json,
           "{file, seconds, seen, seen_bytes, ended}: what the report covers; if the program ended "
           "first (ended: true), it has written the report itself, and the figures are null, as is "
           "seconds where tracking was on before");
}

}  // namespace ddm
