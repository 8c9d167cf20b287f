// ddm recover: the recorded allocations of a program from its ring file, whatever became of the
// program; and which ring files there are.
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "allocations/store/ring_path.h"
#include "command.h"
#include "core/file_descriptor.h"
#include "json_values.h"
#include "report/recovery/ring_reader.h"
#include "report/report_json.h"
#include "report/report_words.h"
#include "report_fetch.h"
#include "site_rows.h"

namespace ddm {
namespace {

constexpr std::string_view kRecoverEndings =
    ".txt, .collapsed, .jsonl, .sites.jsonl, .html, .pb.gz or .hprof.txt";

struct RecoverOptions {
  std::string ring;
  std::string path;
  std::string by;  // "": the summary
  std::size_t top = 25;
  bool json = false;
};

bool to_stdout(const RecoverOptions& options) { return options.path == "-"; }

// A name without a directory that does not exist here is looked up in the directory of ring=NAME.
std::string find_ring(const std::string& name) {
  if (name.find('/') != std::string::npos || access(name.c_str(), F_OK) == 0) return name;
  for (const std::string& directory : ring_directories()) {
    std::string path = directory + "/" + name;
    if (access(path.c_str(), F_OK) == 0) return path;
  }
  return name;
}

std::string_view word_for(ProgramState state) {
  constexpr std::string_view kWords[] = {"running", "killed", "ended"};
  return kWords[static_cast<std::size_t>(state)];
}

int print_facts(const std::string& path, const RecoveredRing& ring) {
  std::string members = "{";
  append_summary_members(members, ring.data);
  Json facts = {{"ring", json_text(path)}, {"state", word_for(ring.state)}};
  facts.update(parsed_json(members + "}"));
  facts["unfinished"] = ring.unfinished;
  facts["damaged"] = ring.damaged;
  facts["names_lost"] = ring.names_lost;
  return print_json(facts);
}

// The records that could not be read, a sentence each. Those that were just being written are not
// mentioned while the program runs: the next recovery has them.
std::vector<std::string> losses(const RecoveredRing& ring) {
  std::vector<std::string> lost;
  if (ring.unfinished > 0 && ring.state == ProgramState::kKilled) {
    lost.push_back(counted(ring.unfinished, "record") + " unfinished when the program was killed");
  }
  if (ring.damaged > 0) {
    lost.push_back(counted(ring.damaged, "record") + " damaged or cut off, and left out");
  }
  if (ring.names_lost > 0) {
    lost.push_back(counted(ring.names_lost, "name") +
                   " without room in the file, shown as unknown");
  }
  return lost;
}

struct FoundRing {
  std::string path;
  RingHead head;
};

// Where ring= puts them without a directory; other files there are skipped, and a directory that
// somebody else has made.
std::vector<FoundRing> found_rings() {
  std::vector<FoundRing> found;
  for (const std::string& directory : ring_directories()) {
    if (!is_own_directory(directory)) continue;
    for (const std::string& name : names_in(directory)) {
      std::string path = directory + "/" + name;
      auto head = read_ring_file_head(path);
      if (head) found.push_back({std::move(path), std::move(*head)});
    }
  }
  std::ranges::stable_sort(found, {}, [](const FoundRing& one) { return one.head.written_ms; });
  return found;
}

void print_losses(const RecoverOptions& options, const RecoveredRing& ring) {
  for (const std::string& lost : losses(ring)) {
    if (to_stdout(options)) {
      complain(lost);
    } else {
      print("  {}\n", lost);
    }
  }
}

int show_rows(const RecoverOptions& options, const RecoveredRing& ring) {
  const RowsBy by = *rows_by(options.by);
  const std::vector<SiteRow> rows = rows_of(figures_of(ring.data), by);
  if (options.json) return print_json(rows_json(rows, by, /*difference=*/false));
  print_rows(rows, by, options.top);
  print("{}{}, {} of the {} program (pid {})\n", ring.data.summary.seen_at_least ? "at least " : "",
        counted(sum_of(rows, &SiteRow::count), "allocation"),
        human_bytes(sum_of(rows, &SiteRow::bytes)), word_for(ring.state), ring.data.summary.pid);
  print_losses(options, ring);
  return kExitOk;
}

int list_rings(const RecoverOptions& options) {
  if (!options.path.empty() || !options.by.empty())
    return bad_command_line("RING is missing", "recover");
  const std::vector<FoundRing> found = found_rings();
  if (options.json) {
    return print_json(json_list(found, [](const FoundRing& one) {
      return Json{{"file", json_text(one.path)},       {"pid", one.head.pid},
                  {"app", json_text(one.head.app)},    {"state", word_for(one.head.state)},
                  {"written_ms", one.head.written_ms}, {"bytes", one.head.file_bytes}};
    }));
  }
  if (found.empty()) {
    const std::vector<std::string> directories = ring_directories();
    print_sentence(directories.empty()
                       ? "there is no directory in memory (tmpfs) for ring files"
                       : "there are no ring files in " + listed(directories, directories.size()));
    return kExitOk;
  }
  TextTable table({">PID", "STATE", "WRITTEN (UTC)", ">SIZE", ".APP", "FILE"});
  std::int64_t bytes = 0;
  for (const auto& [path, head] : found) {
    table.add({std::to_string(head.pid), std::string(word_for(head.state)),
               utc_seconds(head.written_ms), human_bytes(head.file_bytes), head.app, path});
    bytes += head.file_bytes;
  }
  print(table.text());
  print_sentence(
      fmt::format("{} of memory; `ddm recover FILE` reads one; delete that of a killed program "
                  "once it is read: rm FILE",
                  human_bytes(bytes)));
  return kExitOk;
}

int recover(const RecoverOptions& options) {
  if (options.ring.empty()) return list_rings(options);
  const auto format = report_format_of(options.path);
  if (!options.path.empty() && !to_stdout(options) && !format) {
    return misused(fmt::format("'{}': a report ends in {}", options.path, kRecoverEndings));
  }
  if (!options.by.empty() && !options.path.empty()) {
    return misused("--by is of tables; the file of -o has its own");
  }
  if (to_stdout(options) && options.json) return misused("-o -: --json is for stdout, too");
  if (format && needs_live(*format)) {
    return misused(fmt::format("'{}' shows what is alive, which a ring file does not tell; use {}",
                               options.path, kRecoverEndings));
  }
  const std::string path = find_ring(options.ring);
  const auto reading = read_ring_file(path);
  if (!reading) return refuse(reading.message());
  const RecoveredRing& ring = *reading;
  if (!ring.cut_off.empty()) complain(path + ": " + ring.cut_off);
  if (!options.by.empty()) return show_rows(options, ring);
  if (format) {
    const auto error = write_report_file(options.path, *format, ring.data);
    if (error) return refuse(error->message);
  }
  if (options.json) return print_facts(path, ring);
  if (to_stdout(options)) {
    text_report(ring.data, print_piece);
  } else if (format) {
    const auto records = static_cast<std::int64_t>(ring.data.records.size());
    const bool whole_run = ring.data.sites.counted();
    const bool one_by_one = format == ReportFormat::kHtml || format == ReportFormat::kText ||
                            format == ReportFormat::kJsonl;
    print(
        "{}{} of the {} program (pid {}) written to {}{}{}\n",
        whole_run && ring.data.summary.seen_at_least ? "at least " : "",
        counted(whole_run ? ring.data.summary.seen : records, "allocation"), word_for(ring.state),
        ring.data.summary.pid, options.path, size_note(options.path),
        whole_run && one_by_one ? fmt::format(", the newest {} one by one", grouped(records)) : "");
  } else {
    print(summary_report(ring.data));
  }
  print_losses(options, ring);
  return kExitOk;
}

}  // namespace

void add_recover(CLI::App& app, Command& chosen) {
  const auto [command, options] = add_command(
      app, chosen, "recover",
      "Show the allocations of a killed program from its ring file (ring=PATH)", recover);
  add_text(command, "RING", options.ring,
           "The ring file; its program may still be running. Left out: lists those that ring=NAME "
           "and ring= have made; delete one once it is read (rm)");
  add_file(command, "-o", options.path,
           fmt::format("Write a report to a file: {}; -: as text to stdout", kRecoverEndings));
  add_row_options(command, options.by, options.top);
  add_flag(command, "--json", options.json,
           "The summary and the numbers of unreadable records and names, as JSON; without RING an "
           "array of {file, pid, app, state: running, killed or ended, written_ms, bytes}; with "
           "--by the rows");
}

}  // namespace ddm
