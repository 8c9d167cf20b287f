// ddm gate: whether a run allocates more than a repository's baseline says. Exit code 1: it does.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fstream>

#include "command.h"
#include "core/file_descriptor.h"
#include "gate/findings.h"
#include "json_values.h"
#include "report/report.h"
#include "site_rows.h"
#include "text_pieces.h"

namespace ddm {
namespace {

struct GateOptions {
  std::string measured, baseline;
  std::string tolerance = "0";
  std::string below;
  std::string junit, markdown;
  bool update = false, json = false, annotations = false;
};

// None: there is no such file.
Result<std::optional<Baseline>> read_list(const std::string& path) {
  if (access(path.c_str(), F_OK) != 0 && errno == ENOENT) return std::optional<Baseline>();
  if (auto device = refused_as_device(path)) return *device;
  const auto text = file_text(path);
  if (!text) return Error{path + ": " + text.message()};
  auto baseline = Baseline::parse(*text);
  if (!baseline) return Error{path + ": " + baseline.message()};
  return std::optional<Baseline>(std::move(*baseline));
}

// A misspelled method, or a run without tests, must not pass as one that allocates less.
std::string nothing_text(const GateOptions& options, const Measured& now) {
  if (!now.by_site) return options.measured + " has no tests";
  if (options.below.empty()) return options.measured + " has no allocations";
  return nothing_below_text(options.measured, options.below);
}

// Beside a baseline of tests: see sites_of_tests().
std::string sites_path(const GateOptions& options) { return options.baseline + ".sites"; }

// Why a baseline cannot be one of this run.
std::optional<Error> unlike(const GateOptions& options, const Baseline& baseline,
                            const Measured& now) {
  if (!baseline.has_entries()) {
    if (now.by_site) return {};
    return Error{options.baseline + " has no tests"};
  }
  if (baseline.by_site() == now.by_site) return {};
  const auto kind = [](bool by_site) { return by_site ? "sites of a report" : "tests"; };
  return Error{fmt::format("{} is a baseline of {}, and {} has {}", options.baseline,
                           kind(baseline.by_site()), options.measured, kind(now.by_site))};
}

int update(const GateOptions& options, const Measured& now) {
  auto baseline = read_list(options.baseline);
  if (!baseline) return misused(baseline.message());
  if (!*baseline) baseline->emplace();
  if ((*baseline)->has_entries()) {
    if (const auto error = unlike(options, **baseline, now)) return misused(error->message);
  }
  (*baseline)->update(now.jdk, now.amounts, options.below);
  auto error = write_report_file(options.baseline, (*baseline)->text());
  if (!error && !now.by_site && !now.sites.empty()) {
    auto sites = read_list(sites_path(options));
    if (!sites) return misused(sites.message());
    if (!*sites) sites->emplace();
    (*sites)->update(now.jdk, sites_of_tests(now));
    error = write_report_file(sites_path(options), (*sites)->text());
  }
  if (error) return misused(error->message);
  print("{} {} in {}\n", now.amounts.size(), now.by_site ? "sites" : "tests", options.baseline);
  return kExitOk;
}

bool is_report_file(const std::string& path) {
  std::ifstream file(path);
  return file && is_report(file);
}

// What is below one method says nothing of what is below another, or of the whole.
std::optional<Error> other_below(const GateOptions& options, const std::string& below) {
  if (below.empty() || below == options.below) return {};
  return Error{fmt::format("{} was made with --below {}: {}", options.baseline, below,
                           options.below.empty()
                               ? "name it here, too"
                               : "it has nothing to compare below " + options.below)};
}

// The figures to compare `now` with: of another run's report, or of a list. The file beside a list
// also gives the order of a test's sites. A report may lack what is below a method that is new.
// `covers_more`: a list of the whole, of which only what is below a method was measured.
Result<Amounts> amounts_before(const GateOptions& options, Measured& now, bool& covers_more) {
  if (is_report_file(options.baseline)) {
    const auto before = read_measured(options.baseline, options.below);
    if (!before) return Error{before.message()};
    if (!now.by_site) {
      return Error{options.baseline + " is a report, by site, and " + options.measured +
                   " a list of tests"};
    }
    if (auto error = other_below(options, before->below)) return *error;
    if (before->cut_bytes > 0) {
      return Error{options.baseline + ": " + cut_below_text(before->cut_bytes, options.below)};
    }
    return before->amounts;
  }
  const auto baseline = read_list(options.baseline);
  if (!baseline) return Error{baseline.message()};
  if (!*baseline) return Error{"there is no " + options.baseline + "; --update makes it"};
  if ((*baseline)->says_nothing()) {
    return Error{options.baseline + " is empty: it has neither an entry nor the line \"# jdk N\" " +
                 "of a run that allocated nothing; --update makes it"};
  }
  if (auto error = unlike(options, **baseline, now)) return *error;
  if (!now.by_site) {
    const auto sites = read_list(sites_path(options));
    if (!sites) return Error{sites.message()};
    if (*sites) sort_sites_by_growth(now, (*sites)->of(now.jdk));
  }
  if (auto error = other_below(options, (*baseline)->below())) return *error;
  covers_more = !options.below.empty() && (*baseline)->below().empty();
  return (*baseline)->of(now.jdk);
}

int gate(const GateOptions& given) {
  GateOptions options = given;
  const auto tolerance = Tolerance::parse(options.tolerance);
  if (!tolerance) {
    return misused("--tolerance: '" + options.tolerance +
                   "' is not 0, a share (5%, 0.5%) or bytes (512, 4k, 1m)");
  }
  auto now = read_measured(options.measured, options.below);
  if (!now) return misused(now.message());
  if (!now->by_site && !options.below.empty()) {
    return misused("--below is for reports, and " + options.measured +
                   " is a list of tests, which are compared whole");
  }
  if (options.below.empty()) options.below = now->below;
  if (now->cut_bytes > 0) {
    return misused(options.measured + ": " + cut_below_text(now->cut_bytes, options.below));
  }
  if (now->nothing()) return misused(nothing_text(options, *now));
  if (options.update) return update(options, *now);
  Findings findings;
  const auto before = amounts_before(options, *now, findings.baseline_covers_more);
  if (!before) return misused(before.message());
  findings.changes = compare(*before, now->amounts, *tolerance);
  if (findings.baseline_covers_more) findings.changes.removed.clear();
  findings.new_fails = now->by_site;
  findings.now = &*now;
  findings.baseline = options.baseline;
  findings.measured = options.measured;
  findings.below = options.below;
  findings.of_reports = is_report_file(options.baseline);
  for (const auto& [path, text] : {std::pair(options.junit, &findings_junit),
                                   std::pair(options.markdown, &findings_markdown)}) {
    if (path.empty()) continue;
    if (const auto error = write_report_file(path, text(findings))) return misused(error->message);
  }
  if (options.json) {
    print_json(findings_json(findings));
  } else {
    print(findings_text(findings));
  }
  if (options.annotations) print(findings_annotations(findings));
  return findings.failed() ? kExitRefused : kExitOk;
}

}  // namespace

void add_gate(CLI::App& app, Command& chosen) {
  const auto [command, options] =
      add_command(app, chosen, "gate", "Fail if a run allocates more than its baseline", gate);
  require(add_text(command, "NEW", options.measured,
                   "The result of a run: a report (.jsonl, .sites.jsonl, .pb.gz), or the output of "
                   "ddm-test.jar (allocations.txt)"));
  require(add_file(command, "--baseline", options.baseline,
                   "A baseline file, kept in the repository, or the report of another run"));
  const auto update =
      add_flag(command, "--update", options.update, "Make the run the baseline, without comparing");
  const auto tolerance = add_text(
      command, "--tolerance", options.tolerance,
      "Permitted increase of what the baseline has: 0, 5% or bytes (4k); with bytes, numbers of "
      "objects are ignored; a new site always fails",
      "AMOUNT");
  add_text(command, "--below", options.below,
           "Of a report only allocations in this method and its callees", "METHOD");
  const auto junit = add_file(command, "--junit", options.junit, "Write the result as JUnit's XML");
  const auto markdown =
      add_file(command, "--markdown", options.markdown, "Write tables in Markdown");
  const auto annotations = add_flag(command, "--annotations", options.annotations,
                                    "Print ::error lines with file and line of each increase");
  const auto json =
      add_flag(command, "--json", options.json,
               "{grown, shrunk, new, gone: [{name, objects_before, objects, bytes_before, bytes, "
               "sites}]}");
  command.footer("Exit code: 0 nothing grew, 1 something grew, 2 no comparison was possible.");
  exclude(json, {annotations});
  exclude(update, {tolerance, junit, markdown, annotations, json});
}

}  // namespace ddm
