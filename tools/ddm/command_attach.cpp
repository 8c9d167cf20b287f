// ddm attach: loads the agent into a JVM that runs already.
#include <CLI/CLI.hpp>
#include <sstream>

#include "attach.h"
#include "command.h"
#include "containers/published.h"
#include "core/whole_text.h"
#include "interrupt.h"
#include "json_values.h"
#include "jvm_process.h"
#include "options/options.h"
#include "target.h"
#include "wire/chunks/hello.h"
#include "wire/chunks/switch_request.h"
#include "wire/sockets/discovery.h"

namespace ddm {
namespace {

struct AttachOptions {
  std::string target;
  std::string options;
  std::string agent;
  bool json = false;
};

// The error that the agent would print on the program's stderr, where the user may not see it.
std::string bad_options(const AttachOptions& options, bool loaded_already) {
  Options present;
  present.allocations.live = loaded_already ? 1 : 0;  // assumed: it cannot be known here
  const ParsedOptions parsed = parse_options(options.options, present);
  if (!parsed.error.empty() || !loaded_already) return parsed.error;
  return reload_error(parsed.options);
}

// Repeats what the agent has printed on the program's stderr at its last load; false: nothing.
bool repeat_lines(DdmClient& client) {
  const auto at_load = client.get<SaidAtLoad>({SaidAtLoad::kType, {}});
  if (!at_load) return false;
  std::istringstream lines(at_load->lines);
  for (std::string line; std::getline(lines, line);) complain(line);
  return !at_load->lines.empty();
}

// An agent that was there before tells why it has refused a further load.
int report_refusal(pid_t pid, const Error& error) {
  if (error.message.starts_with(kAgentRefused)) {
    auto client = connect_to_target(std::to_string(pid));
    if (client) client->cancel_when(interrupted);
    if (client && repeat_lines(*client)) return kExitRefused;
  }
  return refuse(error.message);
}

// Whether tracking is on. None: it does not say, its access= may exclude this user.
std::optional<bool> is_tracking_now(pid_t pid) {
  auto client = connect_to_target(std::to_string(pid));
  if (!client) return {};
  client->cancel_when(interrupted);
  repeat_lines(*client);
  const auto state = client->get<TrackingState>({TrackingState::kType, {}});
  return state ? std::optional(state->on) : std::nullopt;
}

// Tracking stays on with `live=n`.
void print_tracking(bool on, pid_t pid, const Options& given) {
  const bool off_was_asked_for = given.given.has("live") && given.allocations.live == 0;
  if (!on) {
    print("tracking is off\n");
  } else if (off_was_asked_for) {
    print_sentence(fmt::format(
        "objects are not followed; tracking stays on, `ddm track {} off` ends it", pid));
  } else {
    print("tracking is on\n");
  }
}

int report_loaded(const Target& target, bool in_container, const Options& given, bool json) {
  if (!json) {
    print("pid {} listens on {}{}\n", target.pid, target.address,
          in_container ? ", in its container" : "");
  }
  const std::optional<bool> on = is_tracking_now(target.pid);
  if (json) {
    Json loaded = {{"pid", target.pid},
                   {"address", json_text(target.address)},
                   {"tracking", json_or_null(on)}};
    if (in_container) loaded["container"] = true;
    print_json(loaded);
  } else if (on) {
    print_tracking(*on, target.pid, given);
  }
  return given.track_from_start() && on == false ? kExitRefused : kExitOk;
}

// Without a connection there is nobody to ask for the reason.
int report_silent(pid_t pid, const Options& given, bool json) {
  const std::string why =
      given.given.has("address") && given.service.address != "none"
          ? fmt::format(
                "the agent is loaded, but it does not listen at {}; why is on the "
                "program's stderr: the address may be in use",
                given.service.address)
          : "the agent is loaded; it does not listen, or its discovery file could not be written, "
            "and it warns on the program's stderr alone";
  if (!json) {
    print_sentence(why);
    return kExitOk;
  }
  complain(why);
  return print_json({{"pid", pid}, {"address", nullptr}, {"tracking", nullptr}});
}

int attach(const AttachOptions& options) {
  const Options given = parse_options(options.options).options;
  if (given.help) {
    print(help_text());
    return kExitOk;
  }
  const auto named = resolve_jvm(options.target);
  if (!named) return refuse(named.message());
  if (const std::string wrong = pid_error(*named); !wrong.empty()) return misused(wrong);
  const pid_t pid = *number_in<pid_t>(*named);
  const auto agent = agent_path(options.agent);
  if (!agent) return refuse(agent.message());
  const auto jvm = JvmProcess::find(pid);
  if (!jvm) return refuse(jvm.message());
  const std::string wrong = bad_options(options, jvm->has_agent());
  if (!wrong.empty()) return misused(wrong);
  if (const auto error = load_agent(*jvm, *agent, options.options)) {
    return report_refusal(pid, *error);
  }
  for (const Target& target : all_targets()) {
    if (target.pid == pid) return report_loaded(target, jvm->in_container(), given, options.json);
  }
  return report_silent(pid, given, options.json);
}

}  // namespace

void add_attach(CLI::App& app, Command& chosen) {
  const auto [command, options] =
      add_command(app, chosen, "attach", "Load the agent into a running JVM", attach);
  require(add_text(command, "PID", options.target,
                   "A HotSpot JVM of this user: its pid, or a part of its name; see `ddm ps "
                   "--all`"));
  add_text(command, "OPTIONS", options.options,
           "The agent's options: track=y,dump=/tmp/r.html; `help` lists them");
  add_agent(command, options.agent);
  add_flag(command, "--json", options.json,
           "{pid, address, tracking}: null where it does not listen or say; in a container with "
           "container: true");
}

}  // namespace ddm
