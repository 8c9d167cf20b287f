// ddm threads: all threads of a program, or those of the agent in it.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <thread>

#include "chunk_json.h"
#include "command.h"
#include "core/whole_text.h"
#include "json_values.h"
#include "report/report_words.h"
#include "threads.h"

namespace ddm {
namespace {

struct ThreadsOptions : TargetOptions {
  bool agent = false, all = false, of_virtual = false;
  double seconds = 0;  // to measure the CPU use; 0: not measured
};

std::string seconds(std::uint32_t ticks) { return fmt::format("{:.2f}", ticks / 100.0); }

struct MeasuredThread {
  ThreadRow row;
  double cpu_percent = 0;
};

// The threads now, most CPU first: of the time that is measured, or since they began.
Result<std::vector<MeasuredThread>> busiest_threads(DdmClient& client, double measured) {
  std::map<std::int64_t, std::uint32_t> before;
  const auto begin = std::chrono::steady_clock::now();
  if (measured > 0) {
    const auto rows = list_threads(client);
    if (!rows) return rows.error();
    for (const ThreadRow& row : *rows) before[row.id] = row.cpu_ticks();
    std::this_thread::sleep_for(std::chrono::duration<double>(measured));
  }
  const auto rows = list_threads(client);
  if (!rows) return rows.error();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  std::vector<MeasuredThread> threads;
  for (const ThreadRow& row : *rows) {
    // A thread that has begun meanwhile had none.
    const std::uint32_t used = row.cpu_ticks() - std::min(row.cpu_ticks(), before[row.id]);
    threads.push_back({row, measured > 0 ? used / passed.count() : 0});
  }
  std::ranges::stable_sort(threads, [measured](const MeasuredThread& a, const MeasuredThread& b) {
    return measured > 0 ? a.cpu_percent > b.cpu_percent : a.row.cpu_ticks() > b.row.cpu_ticks();
  });
  return threads;
}

int threads_of_agent(const ThreadsOptions& options) {
  const auto target = resolve_target(options.target);
  if (!target) return refuse(target.message());
  const auto pid = number_in<pid_t>(*target);
  const auto rows = pid ? agent_threads(*pid) : std::nullopt;
  if (!rows) return refuse(fmt::format("--agent needs a process of this machine, not {}", *target));
  if (options.json) {
    return print_json(json_list(*rows, [](const AgentThreadRow& row) -> Json {
      return {{"tid", row.os_id}, {"name", row.name}, {"cpu_s", cpu_seconds(row.cpu_ticks)}};
    }));
  }
  TextTable table({">OS TID", ">CPU S", "~NAME"});
  for (const AgentThreadRow& row : *rows) {
    table.add(
        {std::to_string(row.os_id), fmt::format("{:.2f}", cpu_seconds(row.cpu_ticks)), row.name});
  }
  print(table.text());
  return kExitOk;
}

int threads(const ThreadsOptions& options) {
  if (options.of_virtual) {
    return refuse(
        "the VM lists no virtual threads to agents: `jcmd PID Thread.dump_to_file FILE` writes all "
        "of them with their stacks, `ddm record PID --cpu` shows what they do");
  }
  if (options.agent) return threads_of_agent(options);
  const bool measured = options.seconds > 0;
  auto client = connect_to_target(options.target);
  if (!client) return refuse(client.message());
  const auto rows = busiest_threads(*client, options.seconds);
  if (!rows) return refuse(rows.message());
  if (options.json) {
    return print_json(json_list(*rows, [measured](const MeasuredThread& thread) {
      const auto& [id, status, name] = thread.row;
      Json object = {{"id", id},
                     {"name", json_text(name)},
                     {"state", thread_state_name(status.state)},
                     {"tid", status.os_id},
                     {"utime", status.user_ticks},
                     {"stime", status.system_ticks},
                     {"daemon", status.daemon}};
      if (measured) object["cpu_percent"] = std::round(thread.cpu_percent * 10) / 10;
      return object;
    }));
  }
  std::vector<std::string> titles{">TID",      "STATE",  ">OS TID", ">USER S",
                                  ">SYSTEM S", "DAEMON", "~NAME"};
  if (measured) titles.insert(titles.begin(), ">CPU %");
  TextTable table(std::move(titles));
  std::size_t hidden = 0;
  for (const MeasuredThread& thread : *rows) {
    const auto& [id, status, name] = thread.row;
    if (!options.all && is_agent_thread(name)) {
      ++hidden;
      continue;
    }
    std::vector<std::string> cells{std::to_string(id),
                                   std::string(thread_state_name(status.state)),
                                   std::to_string(status.os_id),
                                   seconds(status.user_ticks),
                                   seconds(status.system_ticks),
                                   status.daemon ? "daemon" : "",
                                   name};
    if (measured) cells.insert(cells.begin(), fmt::format("{:.0f}", thread.cpu_percent));
    table.add(std::move(cells));
  }
  print(table.text());
  if (hidden > 0) {
    print("{} of the agent hidden (--all)\n", counted(static_cast<std::int64_t>(hidden), "thread"));
  }
  return kExitOk;
}

}  // namespace

void add_threads(CLI::App& app, Command& chosen) {
  const auto [command, options] =
      add_command(app, chosen, "threads", "List the threads of a program by CPU time", threads);
  add_text(command, "PID", options.target, kTargetHelp);
  const auto measured = add_duration(
      command, "-d", options.seconds,
      "Measure for so long, and show and sort by the CPU use in this time", 0.1, kMaxSeconds);
  const auto all = add_flag(command, "--all", options.all,
                            "Also the agent's own threads (ddmagent), which a table leaves out");
  const auto of_virtual = add_flag(command, "--virtual", options.of_virtual,
                                   "Virtual threads, which the VM does not list: how to see them");
  add_flag(command, "--json", options.json,
           "All: array of {id, name, state, tid, utime, stime, daemon}, with -d also cpu_percent; "
           "times in 1/100 s");
  const auto agent = add_flag(
      command, "--agent", options.agent,
      "The agent's own threads instead, also those that the VM does not list; JSON {tid, name, "
      "cpu_s}");
  exclude(agent, {measured, all, of_virtual});
}

}  // namespace ddm
