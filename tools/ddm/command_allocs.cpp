// ddm allocs: what a program has allocated, as tables or as a report: the whole run, the
// allocations since a mark, the recent records, or the difference of two reports.

#include <ctime>

#include "allocs_tables.h"
#include "difference_page.h"
#include "json_values.h"
#include "marks.h"
#include "report/report_words.h"
#include "report_fetch.h"
#include "saved_report.h"
#include "switched_options.h"
#include "threads.h"
#include "wire/chunks/report_chunk.h"
#include "wire_report.h"

namespace ddm {
namespace {

bool to_stdout(const AllocsOptions& options) { return options.path == "-"; }

WireThreads threads_of(DdmClient& client) {
  WireThreads threads;
  if (const auto rows = list_threads(client)) {
    for (const ThreadRow& row : *rows) threads[row.status.id] = {row.id, row.name};
  }
  return threads;
}

// The recent records that any DDM program has: REAL counts in 16 bits, so there may be more.
Result<ReportData> recent_report(DdmClient& client, const HelloReply& hello) {
  const WireThreads threads = threads_of(client);
  const auto allocations =
      client.get<Allocations>({kAllocations, {}}, DdmClient::kMuchData, kAllocations);
  if (!allocations) return allocations.error();
  return wire_report(*allocations, hello, threads, std::time(nullptr) * 1000);
}

// A saved report in another format.
int convert_saved(const AllocsOptions& options) {
  auto report = read_saved_report(options.target);
  if (!report) return refuse(report.message());
  if (report->summary.of_native_memory()) {
    return refuse(options.target + " is of native memory: `ddm native` writes its reports");
  }
  if (const auto error =
          write_saved(std::move(*report), options.path, options.recent, options.below)) {
    return refuse(error->message);
  }
  if (!to_stdout(options)) print("report written to {}{}\n", options.path, size_note(options.path));
  return kExitOk;
}

// Tables of a saved report.
int show_saved(const AllocsOptions& options) {
  if (options.recent) {
    const auto recent = read_recent_file(options.target);
    if (!recent) return refuse(recent.message());
    return show_recent(options, *recent, "");
  }
  const auto figures = read_whole_run(options.target, options.below);
  if (!figures) return refuse(figures.message());
  if (rows_asked(options) == RowsBy::kThread && is_recovered(*figures)) {
    return refuse(options.target + " is of a ring file, which has no totals by thread");
  }
  return show_whole_run(options, *figures, options.target, /*tracking=*/true);
}

// Writes the figures of each stack before and after as a page.
int write_difference(const AllocsOptions& options, DifferencePage& page, const std::string& notes) {
  if (const auto error = write_report_file(options.path, page.html(notes))) {
    return refuse(error->message);
  }
  print("difference written to {}\n", options.path);
  return kExitOk;
}

int save_since(const AllocsOptions& options, DdmClient& client, const SiteFigures& then) {
  const auto before = page_of_mark(options.since, then.fact("pid"));
  if (!before) return refuse(before.message());
  DifferencePage page;
  if (const auto error = page.add_file(*before, DifferencePage::kBefore)) {
    return refuse(
        fmt::format("mark '{}' has no stacks ({}); set it again", options.since, error->message));
  }
  const auto now = fetch_text(client, "html");
  if (!now) return refuse(now.message());
  if (const auto error = page.add_page(*now, DifferencePage::kAfter)) {
    return refuse(error->message);
  }
  // The program writes a mark's page by itself, a moment after its figures.
  const Json& first = page.summary(DifferencePage::kBefore);
  const std::int64_t ms = number_of(page.summary(DifferencePage::kAfter), "written_ms") -
                          number_of(first, "written_ms");
  std::string notes = fmt::format("Since mark '{}', {} before.", options.since, human_duration(ms));
  if (const std::int64_t between = number_of(first, "seen") - then.fact("seen"); between > 0) {
    notes += fmt::format(
        " The mark's stacks are from {} after its figures: {} allocations between count as before.",
        human_duration(number_of(first, "written_ms") - then.fact("written_ms")), grouped(between));
  }
  return write_difference(options, page, notes);
}

int show_since(const AllocsOptions& options, DdmClient& client, const SiteFigures& now) {
  const auto then = find_mark(options.since, now);
  if (!then) return refuse(then.message());
  if (!options.path.empty()) return save_since(options, client, *then);
  std::vector<std::string> notes{
      fmt::format("{}, {} since mark '{}', {} ago",
                  counted(now.fact("seen") - then->fact("seen"), "allocation"),
                  human_bytes(now.fact("seen_bytes") - then->fact("seen_bytes")), options.since,
                  human_duration(now.fact("written_ms") - then->fact("written_ms")))};
  if (auto note = estimate_note(now, false); !note.empty()) notes.push_back(std::move(note));
  // Within one run sums only increase, so the table has the form of a run's, not of a difference.
  return show_table(options, rows_between(*then, now, rows_asked(options)), notes);
}

int show_run(const AllocsOptions& options, DdmClient& client, const SiteFigures& figures) {
  if (!options.since.empty()) {
    if (const int code = show_since(options, client, figures); code != kExitOk) return code;
  }
  if (!options.mark.empty()) {
    if (figures.fact("period") == 0) {
      return refuse("there is nothing to mark: tracking is off; `ddm track PID on` starts it");
    }
    const auto page = fetch_text(client, "html");
    if (!page) return refuse(page.message());
    if (const auto error = set_mark(options.mark, figures, *page)) return refuse(error->message);
    if (options.since.empty() && options.json) {
      print_json({{"mark", options.mark},
                  {"seen", figures.fact("seen")},
                  {"seen_bytes", figures.fact("seen_bytes")}});
    } else if (!options.json) {
      print("mark '{}' set: {}, {} until here\n", options.mark,
            counted(figures.fact("seen"), "allocation"), human_bytes(figures.fact("seen_bytes")));
    }
  }
  if (!options.since.empty() || !options.mark.empty()) return kExitOk;
  return show_whole_run(options, figures, "the program", is_tracking(client));
}

int save_diff(const AllocsOptions& options) {
  DifferencePage page;
  auto error = page.add_file(options.diff[0], DifferencePage::kBefore);
  if (!error) error = page.add_file(options.diff[1], DifferencePage::kAfter);
  if (error) return refuse(error->message);
  std::string caption = fmt::format("From {} to {}.", options.diff[0], options.diff[1]);
  for (const auto side : {DifferencePage::kBefore, DifferencePage::kAfter}) {
    const std::string note = lower_bounds_note(options.diff[side], page.summary(side));
    if (!note.empty()) caption += " " + note + ".";
  }
  return write_difference(options, page, caption);
}

int show_diff(const AllocsOptions& options) {
  if (!options.path.empty()) return save_diff(options);
  for (const std::string& path : options.diff) {
    if (report_format_of(path) == ReportFormat::kHtml) {
      return refuse(path +
                    " is a page: -o x.html makes a page of two pages, and tables are made of "
                    ".jsonl and .sites.jsonl reports");
    }
  }
  const auto before = read_whole_run(options.diff[0], options.below);
  if (!before) return refuse(before.message());
  const auto after = read_whole_run(options.diff[1], options.below);
  if (!after) return refuse(after.message());
  if (lacks_below(options, *before) && lacks_below(options, *after)) {
    return refuse(nothing_below_text(options.diff[0] + " and " + options.diff[1], options.below,
                                     before->cut_bytes + after->cut_bytes));
  }
  const std::int64_t bytes = after->bytes() - before->bytes();
  const std::int64_t count = after->count() - before->count();
  std::vector<std::string> notes{fmt::format(
      "{}{}, {}{} ({} bytes){} from {} to {}", count > 0 ? "+" : "", counted(count, "allocation"),
      bytes > 0 ? "+" : "", human_bytes(bytes), grouped(bytes),
      options.below.empty() ? "" : " below " + options.below, options.diff[0], options.diff[1])};
  if (before->fact("interval") > 0 || after->fact("interval") > 0) {
    notes.emplace_back("estimated from samples");
  }
  for (const auto& [path, figures] :
       {std::pair(options.diff[0], &*before), std::pair(options.diff[1], &*after)}) {
    if (std::string note = lower_bounds_note(path, figures->summary); !note.empty()) {
      notes.push_back(std::move(note));
    }
    if (figures->cut_bytes > 0) {
      notes.push_back(path + ": " + cut_note(options, *figures));
    }
  }
  return show_table(options, rows_between(*before, *after, rows_asked(options)), notes,
                    Columns::kDifference);
}

int save(const AllocsOptions& options, DdmClient& client, const HelloReply& hello,
         bool own_reports) {
  if (!options.below.empty()) {
    if (!own_reports) return refuse("no --below here. The target runs without this agent.");
    const auto part = fetch_part(client, options.below);
    if (!part) return refuse(part.message());
    if (part->fact("seen") == 0) {
      return refuse(nothing_below_text(options.target, options.below, part->cut_bytes));
    }
  }
  if (own_reports && to_stdout(options)) {
    const auto error = print_report(client, options.recent, options.below);
    return error ? refuse(error->message) : kExitOk;
  }
  if (own_reports) {
    if (const auto error = save_report(client, options.path, options.recent, options.below)) {
      return refuse(error->message);
    }
    print("report written to {}{}\n", options.path, size_note(options.path));
    return kExitOk;
  }
  const auto report = recent_report(client, hello);
  if (!report) return refuse(report.message());
  if (to_stdout(options)) {
    text_report(*report, print_piece);
    return kExitOk;
  }
  const auto error = write_report_file(options.path, *report_format_of(options.path), *report);
  if (error) return refuse(error->message);
  print("{} recent allocations written to {}; the target tells no more\n", report->records.size(),
        options.path);
  return kExitOk;
}

int allocs(const AllocsOptions& options) {
  if (!options.target.empty() && !options.diff.empty()) {
    return bad_command_line("PID: does not go with --diff, which reads two files", "allocs");
  }
  if (!options.below.empty() && rows_asked(options) == RowsBy::kThread) {
    return misused("--below: the totals of threads have no stacks; --by class, site or app has");
  }
  const bool difference = !options.diff.empty() || !options.since.empty();
  if (difference && !options.path.empty() && !options.path.ends_with(".html")) {
    return misused(fmt::format("'{}': a difference is written as a page, .html", options.path));
  }
  if (difference && !options.path.empty() && !options.below.empty()) {
    return misused("--below: the page of a difference is of the whole runs");
  }
  if (!options.diff.empty()) return show_diff(options);
  if (!options.path.empty() && !to_stdout(options) && !report_format_of(options.path)) {
    return misused(fmt::format("'{}': a report ends in {}", options.path, kReportEndings));
  }
  if (const std::string fault = marks_fault(options.mark, options.since); !fault.empty()) {
    return misused(fault);
  }
  if (is_saved_report(options.target)) {
    if (!options.mark.empty() || !options.since.empty()) {
      return misused(fmt::format("{}: {} is a saved report, which does not go on",
                                 options.mark.empty() ? "--since" : "--mark", options.target));
    }
    return options.path.empty() ? show_saved(options) : convert_saved(options);
  }
  auto client = connect_to_target(options.target);
  if (!client) return refuse(no_target_text(options.target, client.message()));
  const auto hello = client->get<HelloReply>(to_chunk(HelloRequest{}));
  if (!hello) return refuse(hello.message());
  const bool own_reports = client->offers(kReportFeature);
  Progress progress("allocations");
  client->on_progress([&progress](std::size_t bytes) { progress.show(bytes); });
  if (!options.path.empty() && !difference) return save(options, *client, *hello, own_reports);

  std::string why;
  if (!own_reports) {
    why = "The target runs without this agent and sends no more.";
  } else if (!options.recent) {
    const auto figures = fetch_figures(*client, options.below);
    if (!figures) return refuse(figures.message());
    // Until tracking is on for the first time, it is unknown whether sites are counted.
    if (figures->covers_whole_run() || figures->fact("period") == 0) {
      return show_run(options, *client, *figures);
    }
    why = fmt::format("The whole run is not counted ({}).", why_no_sites(figures->summary));
  }
  if (!options.mark.empty() || !options.since.empty()) return refuse("no marks here. " + why);
  if (!options.below.empty()) return refuse("no --below here. " + why);
  if (own_reports) {
    const auto figures = fetch_recent(*client);
    return figures ? show_recent(options, *figures, why) : refuse(figures.message());
  }
  const auto report = recent_report(*client, *hello);
  if (!report) return refuse(report.message());
  return show_recent(options, figures_of(*report), why);
}

}  // namespace

void add_allocs(CLI::App& app, Command& chosen) {
  const auto [command, options] =
      add_command(app, chosen, "allocs", "Show allocations by class, site or thread", allocs);
  add_text(command, "PID", options.target,
           std::string(kTargetHelp) + "; or a saved report (.jsonl)");
  add_choice(command, "--by", options.by, {"class", "site", "app", "thread"},
             "Rows: class, site (class and allocating method), app (class and first frame outside "
             "the JDK) or thread",
             "WHAT");
  add_top(command, options.top, "Number of rows to show");
  const auto recent = add_flag(command, "--recent", options.recent,
                               "Only the recent records instead of the whole run");
  const auto mark =
      add_text(command, "--mark", options.mark, "Save the current figures under a name", "NAME");
  const auto since = add_text(command, "--since", options.since,
                              "Only allocations since figures were saved under this name", "NAME");
  const auto diff = add_texts(command, "--diff", options.diff,
                              "Compare two jsonl reports (for a page also two pages): the increase "
                              "from the first to the second",
                              "A B", 2);
  const auto file =
      add_file(command, "-o", options.path,
               fmt::format("Write a report to a file: {}; -: as text to stdout. With --since or "
                           "--diff: a page (.html) of increases and decreases",
                           kReportEndings));
  const auto below = add_text(
      command, "--below", options.below,
      "Only allocations in this method and its callees: shop.Shop.serve, or serve", "METHOD");
  const auto json =
      add_flag(command, "--json", options.json,
               "The whole table: {class or thread, site, app, bytes, count}, with --diff also "
               "{bytes_before, bytes_after, count_before, count_after}");
  exclude(below, {recent, mark, since});
  exclude(file, {json, mark});
  exclude(recent, {mark, since});
  exclude(diff, {mark, since, recent});
}

}  // namespace ddm
