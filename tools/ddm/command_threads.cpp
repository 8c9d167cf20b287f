// ddm threads: all threads of a program.
#include "chunk_json.h"
#include "command.h"
#include "json_values.h"
#include "threads.h"

namespace ddm {
namespace {

std::string seconds(std::uint32_t ticks) { return fmt::format("{:.2f}", ticks / 100.0); }

int threads(const TargetOptions& options) {
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
  const auto [command, options] =
      add_command(app, chosen, "threads", "List the threads of a program", threads);
  add_text(command, "PID", options.target, kOnlyTargetHelp);
  add_flag(command, "--json", options.json,
           "Array of {id, name, state, tid, utime, stime, daemon}; times in 1/100 s");
}

}  // namespace ddm
