// ddm locks: the stacks at which a program's threads waited for locks, and the owners.
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "command.h"
#include "held_locks.h"
#include "json_values.h"
#include "report/report_words.h"
#include "report/thread_pools.h"
#include "report_fetch.h"
#include "site_figures.h"
#include "site_rows.h"
#include "threads.h"

namespace ddm {
namespace {

struct LocksOptions : TargetOptions {
  std::string kind;  // "": all
  std::size_t top = 25;
  bool idle = false;
};

// The waits of threads, idle ones apart: a wait for work is no wait for a lock.
struct Waits {
  std::vector<Json> finished;  // with count, ns and holders; most time first
  std::vector<Json> current;   // with thread, ns and holder; longest first
};
struct AllWaits {
  Waits locks, idle;
};

std::string ms_text(std::int64_t ns) {
  return fmt::format("{}.{}", grouped(ns / 1'000'000), ns / 100'000 % 10);
}

// A line for each kind: "1,234.5 ms to enter (12 times)".
std::string sums_text(const std::vector<Json>& monitors) {
  constexpr std::pair<const char*, const char*> kKinds[] = {{"enter", "to enter"},
                                                            {"park", "parked"},
                                                            {"wait", "in wait()"},
                                                            {"pin", "pinned, in parked too"}};
  std::string text;
  for (const auto& [name, words] : kKinds) {
    std::int64_t ns = 0, count = 0;
    for (const Json& monitor : monitors) {
      if (text_of(monitor, "kind") != name) continue;
      ns += number_of(monitor, "ns");
      count += number_of(monitor, "count");
    }
    if (count == 0) continue;
    text += fmt::format("{}{} ms {} ({})", text.empty() ? "" : "\n", ms_text(ns), words,
                        counted(count, "time"));
  }
  return text;
}

// "4 threads wait for work now; before, 12,345.6 ms parked (30 times)": of pools and timers.
std::string idle_text(const Waits& idle) {
  if (idle.finished.empty() && idle.current.empty()) return "";
  std::string sums = sums_text(idle.finished);
  std::ranges::replace(sums, '\n', ',');
  return fmt::format(
      "not counted, idle threads of pools and timers: {} wait for work now{}{}; --idle "
      "shows them",
      grouped(idle.current.size()), sums.empty() ? "" : "; before, ", sums);
}

// "" if most of the waits for locks have a holder.
std::string unheld_text(const std::vector<Json>& monitors) {
  const HolderCounts counts = count_holders(monitors);
  if (counts.known * 2 >= counts.waits) return "";
  return fmt::format(
      "of {} of {} for locks the holder is not known: the lock was released just then, or asking "
      "for it would have taken more than its share of the time",
      grouped(counts.waits - counts.known), counted(counts.waits, "wait"));
}

std::string class_text(const Json& line) {
  const std::string type = text_of(line, "class");
  if (type.empty() || type == "unknown") return "-";
  return lock_text(text_of(line, "kind"), type);
}

// "    at shop.Cart.total(Cart.java:12)", of the program rather than of the JDK.
void add_place(const Json& stack, std::string_view before, std::size_t width, TextTable& table) {
  const std::string place = frame_text(first_outside_jdk(stack), width - before.size());
  table.add_line(std::string(before) + place);
}

// "    held by till-1 (1,234.5 ms, 3 times)" and where, of those that held it for most of the time.
void add_holders(const Json& monitor, std::size_t width, TextTable& table) {
  constexpr std::size_t kShown = 3;
  const Json& holders = array_of(monitor, "holders");
  for (std::size_t i = 0; i < std::min(kShown, holders.size()); ++i) {
    const Json& holder = holders[i];
    table.add_line(shortened(
        fmt::format("    held by {} ({} ms, {})", text_of(holder, "thread"),
                    ms_text(number_of(holder, "ns")), counted(number_of(holder, "count"), "time")),
        width));
    const Json& stack = array_of(holder, "stack");
    if (!stack.empty()) add_place(stack, "        at ", width, table);
  }
  if (holders.size() > kShown) {
    table.add_line(fmt::format("    and {} more", holders.size() - kShown));
  }
}

// `add`: adds the row of one of them, with what stands below it.
void print_first(const std::vector<Json>& waits, std::size_t top, TextTable& table,
                 const std::function<void(const Json&)>& add) {
  if (waits.empty()) return;
  for (std::size_t i = 0; i < std::min(waits.size(), top); ++i) add(waits[i]);
  print(table.text());
  if (waits.size() > top) print("... {} more (--top N shows more)\n", grouped(waits.size() - top));
}

// Waits that read the same, whose stacks differ in other frames only, are one row; so are their
// holders. Most time first.
std::vector<Json> without_repetitions(const std::vector<Json>& list,
                                      const std::function<std::string(const Json&)>& text) {
  std::vector<Json> merged;
  std::map<std::string, std::size_t> places;
  for (const Json& one : list) {
    if (!one.is_object()) continue;
    const auto [at, is_new] = places.try_emplace(text(one), merged.size());
    if (is_new) {
      merged.push_back(one);
      continue;
    }
    Json& sum = merged[at->second];
    for (const char* figure : {"ns", "count"}) {
      sum[figure] = number_of(sum, figure) + number_of(one, figure);
    }
    Json holders = array_of(sum, "holders");
    for (const Json& holder : array_of(one, "holders")) holders.push_back(holder);
    if (!holders.empty()) sum["holders"] = std::move(holders);
  }
  std::ranges::stable_sort(merged, std::greater<>(),
                           [](const Json& one) { return number_of(one, "ns"); });
  return merged;
}

std::string place_of(const Json& wait) {
  return frame_text(first_outside_jdk(array_of(wait, "stack")));
}

std::vector<Json> rows_of_waits(const std::vector<Json>& monitors) {
  std::vector<Json> rows = without_repetitions(monitors, [](const Json& one) {
    return text_of(one, "kind") + "\n" + class_text(one) + "\n" + place_of(one);
  });
  for (Json& row : rows) {
    const auto holders = row.find("holders");
    if (holders == row.end() || !holders->is_array()) continue;
    ThreadPools pools;
    for (const Json& holder : *holders) pools.add(text_of(holder, "thread"));
    for (Json& holder : *holders) {
      if (holder.is_object()) holder["thread"] = pools.name_of(text_of(holder, "thread"));
    }
    *holders = without_repetitions(*holders, [](const Json& holder) {
      return text_of(holder, "thread") + "\n" + place_of(holder);
    });
  }
  return rows;
}

void print_finished(const std::vector<Json>& all, std::size_t top) {
  const std::vector<Json> monitors = rows_of_waits(all);
  const std::size_t width = output_width();
  TextTable table({">WAITED MS", ">COUNT", "KIND", ".CLASS, WHERE"});
  print_first(monitors, top, table, [&](const Json& monitor) {
    table.add({ms_text(number_of(monitor, "ns")), grouped(number_of(monitor, "count")),
               text_of(monitor, "kind"), class_text(monitor)});
    add_place(array_of(monitor, "stack"), "    at ", width, table);
    add_holders(monitor, width, table);
  });
}

// Threads of one pool that wait alike are one row, with the longest of their waits. "who" names them.
std::vector<Json> rows_of_threads(const std::vector<Json>& waiting) {
  const auto wait_text = [](const Json& wait) {
    return text_of(wait, "kind") + "\n" + class_text(wait) + "\n" + place_of(wait) + "\n" +
           text_of(wait, "holder");
  };
  const auto thread_text = [](const Json& wait) {
    const Json thread = wait.value("thread", Json::object());
    return fmt::format("{} #{}", text_of(thread, "name"), number_of(thread, "id"));
  };
  std::map<std::string, ThreadPools> pools;
  for (const Json& wait : waiting) pools[wait_text(wait)].add(thread_text(wait));
  std::set<std::string> known;
  std::vector<Json> rows;
  for (const Json& wait : waiting) {
    const std::string alike = wait_text(wait);
    const std::string thread = thread_text(wait);
    std::string who = pools[alike].name_of(thread);
    if (who != thread) who.erase(who.rfind(" #"), 3);  // " #*"
    if (!known.insert(alike + "\n" + who).second) continue;
    rows.push_back(wait);
    rows.back()["who"] = std::move(who);
  }
  return rows;
}

void print_current(const std::vector<Json>& waiting, std::size_t top) {
  const std::size_t width = output_width();
  TextTable table({">WAITS NOW, MS", "KIND", "~THREAD", ".CLASS, WHERE"});
  print_first(rows_of_threads(waiting), top, table, [&](const Json& wait) {
    table.add({ms_text(number_of(wait, "waiting_ns")), text_of(wait, "kind"), text_of(wait, "who"),
               class_text(wait)});
    add_place(array_of(wait, "stack"), "    at ", width, table);
    const std::string holder = text_of(wait, "holder");
    if (holder.empty()) return;
    table.add_line(shortened(fmt::format("    held by {} when it began", holder), width));
  });
}

AllWaits split_waits(const std::vector<Json>& lines, const std::string& kind) {
  AllWaits all;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const Json& line = lines[i];
    if (!kind.empty() && text_of(line, "kind") != kind) continue;
    Waits& waits = is_idle_wait(line) ? all.idle : all.locks;
    (line.contains("waiting_ns") ? waits.current : waits.finished).push_back(line);
  }
  return all;
}

// A report knows the names of platform threads.
void name_virtual_threads(std::vector<Json>& lines) {
  for (Json& line : lines) {
    const auto thread = line.find("thread");
    if (thread == line.end() || !thread->is_object()) continue;
    if (text_of(*thread, "name").empty()) (*thread)["name"] = "(virtual thread)";
  }
}

Json as_json(const AllWaits& all) {
  Json list = Json::array();
  const auto add = [&](Json row, bool idle) {
    row.erase("type");
    if (idle) row["idle"] = true;
    list.push_back(std::move(row));
  };
  for (const bool idle : {false, true}) {
    const Waits& waits = idle ? all.idle : all.locks;
    for (const Json& row : waits.finished) add(row, idle);
    for (const Json& row : waits.current) add(row, idle);
  }
  return list;
}

struct KnownWaits {
  std::vector<Json> lines;  // as fetch_time() has them
  std::string deadlocks;    // deadlocks_text(); "": none, or unknown
};

Result<KnownWaits> waits_of_program(const LocksOptions& options) {
  const auto target = resolve_target(options.target);  // its pid, for the advice
  if (!target) return Error{no_target_text(options.target, target.message())};
  auto client = connect_to_target(*target);
  if (!client) return Error{no_target_text(options.target, client.message())};
  auto lines = fetch_time(*client, {"monitor"});
  if (!lines) return lines.error();
  const auto held = fetch_locks(*client);
  const auto cycles = held ? deadlocks_of(*held) : std::vector<LockCycle>();
  std::string deadlocks = cycles.empty() ? "" : deadlocks_text(cycles);
  if (text_of((*lines)[0], "monitor").empty()) {
    if (!options.json) print(deadlocks);
    return Error{fmt::format(
        "waiting for locks is not timed there: `ddm attach {0} monitor=y` times it from now "
        "on, `ddm record {0} --locks` for a while",
        *target)};
  }
  return KnownWaits{std::move(*lines), std::move(deadlocks)};
}

// A report does not tell who held what then.
Result<KnownWaits> waits_of_file(const std::string& path) {
  auto figures = read_figures_file(path);
  if (!figures) return figures.error();
  if (is_recovered(*figures)) {
    return Error{path + " is of a ring file, which has no waits for locks"};
  }
  if (text_of(figures->summary, "monitor").empty()) {
    return Error{path + " has no waits for locks: monitor=y was off, or it is .sites.jsonl"};
  }
  if (const std::int64_t told = figures->fact("time_lines"); figures->time_lines < told) {
    return Error{
        fmt::format("{} is no whole jsonl report: it is cut: it has {} of its {} lines of time",
                    path, grouped(figures->time_lines), grouped(told))};
  }
  std::vector<Json>& lines = figures->monitors;
  lines.insert(lines.begin(), std::move(figures->summary));
  return KnownWaits{std::move(lines), ""};
}

int locks(const LocksOptions& options) {
  auto known =
      is_saved_report(options.target) ? waits_of_file(options.target) : waits_of_program(options);
  if (!known) return refuse(known.message());
  name_virtual_threads(known->lines);
  const Json& summary = known->lines.front();
  const std::string state = text_of(summary, "monitor");
  const AllWaits all = split_waits(known->lines, options.kind);
  if (options.json) return print_json(as_json(all));
  const Waits& shown = options.idle ? all.idle : all.locks;
  print_finished(shown.finished, options.top);
  if (!shown.finished.empty() && !shown.current.empty()) print("\n");
  print_current(shown.current, options.top);
  if (const std::string lacks = text_of(summary, "incomplete"); !lacks.empty()) {
    print_sentence(lacks);
  }
  const std::string sums = sums_text(shown.finished);
  std::string current_text;
  if (!shown.current.empty()) {
    const std::size_t count = shown.current.size();
    const char* const verb = is_saved_report(options.target) ? "waited when it was written"
                             : count == 1                    ? "waits now"
                                                             : "wait now";
    current_text = fmt::format("{} {}, for {} ms so far at the longest\n", counted(count, "thread"),
                               verb, ms_text(number_of(shown.current.front(), "waiting_ns")));
  }
  if (sums.empty() && current_text.empty()) {
    print(options.idle ? "no thread has waited for work"
                       : "no thread has had to wait since waits are timed");
  }
  print(sums);
  print(std::string(sums.empty() && !current_text.empty() ? "no wait is over" : "") +
        (state == "off" ? "; no longer timed\n" : "\n") + current_text);
  const auto listed = static_cast<std::int64_t>(all.locks.current.size() + all.idle.current.size());
  if (const std::int64_t waiting = number_of(summary, "waiting");
      waiting > listed && options.kind.empty()) {
    print_sentence(fmt::format("of {} in progress the report has the longest {}",
                               counted(waiting, "wait"), grouped(listed)));
  }
  if (const std::string unheld = unheld_text(shown.finished); !unheld.empty()) {
    print_sentence(unheld);
  }
  if (const std::string idle = idle_text(all.idle); !options.idle && !idle.empty()) {
    print_sentence(idle);
  }
  if (!known->deadlocks.empty()) print("\n" + known->deadlocks);
  return kExitOk;
}

}  // namespace

void add_locks(CLI::App& app, Command& chosen) {
  const auto [command, options] = add_command(
      app, chosen, "locks", "Show where threads waited for locks, and their owners", locks);
  add_text(command, "PID", options.target,
           std::string(kTargetHelp) + "; or a saved report (.jsonl)");
  add_top(command, options.top, "Number of rows to show");
  add_choice(command, "--kind", options.kind, {"enter", "park", "wait", "pin"},
             "Only waits of this kind: enter (synchronized), park (java.util.concurrent), wait "
             "(Object.wait()) or pin",
             "KIND");
  add_flag(command, "--idle", options.idle,
           "Show instead where threads of pools and timers wait for work");
  add_flag(command, "--json", options.json,
           "[{kind, class, count, ns, holders, stack, idle}]; waits in progress have {thread, "
           "waiting_ns, holder}");
}

}  // namespace ddm
