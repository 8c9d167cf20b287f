// ddm track: switches allocation tracking on or off, or prints its state.
#include <algorithm>
#include <array>
#include <utility>

#include "command.h"
#include "json_values.h"
#include "wire/chunks/app_state.h"
#include "wire/chunks/switch_request.h"

namespace ddm {
namespace {

struct TrackOptions : TargetOptions {
  std::string what;
  bool exact = false;
};

constexpr std::array kStates{"on", "off", "status"};

int track(const TrackOptions& given) {
  TrackOptions options = given;
  if (options.what.empty()) {
    const bool only_program = std::ranges::find(kStates, options.target) != kStates.end();
    options.what = only_program ? std::exchange(options.target, "") : "status";
  }
  if (options.exact && options.what != "on") {
    return bad_command_line("--exact: goes with `on` only", "track");
  }
  auto client = connect_to_target(options.target);
  if (!client) return refuse(client.message());
  // The first switch-on rewrites all loaded classes if the engine is bci.
  Progress progress(options.what == "on" ? "switching on (engine=bci rewrites the loaded classes)"
                                         : "switching off");
  client->on_progress([&progress](std::size_t) { progress.show(0); });
  if (options.what != "status") {
    const auto done =
        client->request(to_chunk(TrackingRequest{options.what == "on"}), DdmClient::kLongWork);
    if (!done) return refuse(done.message());
  }
  if (options.what == "on" && options.exact) {
    const auto done = client->request({kCollectGarbage, {}}, DdmClient::kLongWork);
    if (!done) return refuse(done.message());
  }
  const auto state = client->get<TrackingState>({TrackingState::kType, {}});
  if (!state) return refuse(state.message());
  if (options.json) {
    print_json({{"tracking", state->on}});
  } else {
    print(state->on ? "tracking is on\n" : "tracking is off\n");
  }
  if (options.what != "status" && state->on != (options.what == "on")) {
    return refuse("the target has not switched tracking " + options.what);
  }
  return kExitOk;
}

}  // namespace

void add_track(CLI::App& app, Command& chosen) {
  const auto [command, options] =
      add_command(app, chosen, "track", "Switch allocation tracking on or off", track);
  require(add_text(command, "PID", options.target, kTargetHelp));
  add_choice(command, "STATE", options.what, {kStates.begin(), kStates.end()},
             "on, off or status (default: status)", "");
  add_flag(command, "--exact", options.exact,
           "With on: run a garbage collection, which closes the allocation buffers of all threads, "
           "so that engine=vm misses nothing in a VM whose buffers the agent cannot close");
  add_flag(command, "--json", options.json, "{tracking}");
}

}  // namespace ddm
