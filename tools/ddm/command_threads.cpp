// ddm threads: all threads of a program, or those of the agent in it.
#include <unistd.h>

#include "agent_threads.h"
#include "chunk_json.h"
#include "command.h"
#include "core/whole_text.h"
#include "json_values.h"
#include "threads.h"

namespace ddm {
namespace {

struct ThreadsOptions : TargetOptions {
  bool agent = false;
};

std::string seconds(std::uint32_t ticks) { return fmt::format("{:.2f}", ticks / 100.0); }

int threads_of_agent(const ThreadsOptions& options) {
  const auto target = resolve_target(options.target);
  if (!target) return refuse(target.message());
  const auto pid = number_in<pid_t>(*target);
  const auto rows = pid ? agent_threads(*pid) : std::nullopt;
  if (!rows) return refuse(fmt::format("--agent needs a process of this machine, not {}", *target));
  const double hertz = static_cast<double>(sysconf(_SC_CLK_TCK));
  if (options.json) {
    return print_json(json_list(*rows, [hertz](const AgentThreadRow& row) -> Json {
      return {{"tid", row.os_id},
              {"name", row.name},
              {"cpu_s", static_cast<double>(row.cpu_ticks) / hertz}};
    }));
  }
  TextTable table({">OS TID", ">CPU S", "~NAME"});
  for (const AgentThreadRow& row : *rows) {
    table.add({std::to_string(row.os_id),
               fmt::format("{:.2f}", static_cast<double>(row.cpu_ticks) / hertz), row.name});
  }
  print(table.text());
  return kExitOk;
}

int threads(const ThreadsOptions& options) {
  if (options.agent) return threads_of_agent(options);
  auto client = connect_to_target(options.target);
  if (!client) return refuse(client.message());
  const auto rows = list_threads(*client);
  if (!rows) return refuse(rows.message());
  if (options.json) {
    return print_json(json_list(*rows, [](const ThreadRow& row) -> Json {
      return {{"id", row.id},
              {"name", json_text(row.name)},
              {"state", thread_state_name(row.status.state)},
              {"tid", row.status.os_id},
              {"utime", row.status.user_ticks},
              {"stime", row.status.system_ticks},
              {"daemon", row.status.daemon}};
    }));
  }
  TextTable table({">TID", "STATE", ">OS TID", ">USER S", ">SYSTEM S", "DAEMON", "~NAME"});
  for (const auto& [id, status, name] : *rows) {
    table.add({std::to_string(id), std::string(thread_state_name(status.state)),
               std::to_string(status.os_id), seconds(status.user_ticks),
               seconds(status.system_ticks), status.daemon ? "daemon" : "", name});
  }
  print(table.text());
  return kExitOk;
}

}  // namespace

void add_threads(CLI::App& app, Command& chosen) {
  const auto [command, options] = add_command(
      app, chosen, "threads",
      "List the threads of a program, those of the agent (ddmagent) among them", threads);
  add_text(command, "PID", options.target, kTargetHelp);
  add_flag(command, "--json", options.json,
           "Array of {id, name, state, tid, utime, stime, daemon}; times in 1/100 s");
  add_flag(
      command, "--agent", options.agent,
      "The agent's own threads instead, also those that the VM does not list; JSON {tid, name, "
      "cpu_s}");
}

}  // namespace ddm
