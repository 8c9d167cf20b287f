// ddm gc: runs a garbage collection and prints how much it has freed.
#include "command.h"
#include "json_values.h"
#include "jvm_figures.h"
#include "wire/chunks/app_state.h"

namespace ddm {
namespace {

// None: the target does not send it.
std::optional<std::uint64_t> used_bytes(DdmClient& client) {
  const auto usage = heap_usage(client);
  if (!usage || !*usage) return {};
  return (*usage)->used_bytes;
}

int gc(const TargetOptions& options) {
  auto client = connect_to_target(options.target);
  if (!client) return refuse(client.message());
  const auto before = used_bytes(*client);
  Progress progress("garbage collection");
  client->on_progress([&progress](std::size_t) { progress.show(0); });
  const auto done = client->request({kCollectGarbage, {}}, DdmClient::kLongWork);
  if (!done) return refuse(done.message());
  const auto after = used_bytes(*client);
  if (options.json) {
    Json result = Json::object();
    if (before) result["usedBefore"] = *before;
    if (after) result["usedAfter"] = *after;
    return print_json(result);
  }
  if (before && after) {
    print("{} used before, {} after\n", heap_bytes(*before), heap_bytes(*after));
  } else {
    print("done\n");
  }
  return kExitOk;
}

}  // namespace

void add_gc(CLI::App& app, Command& chosen) {
  const auto [command, options] = add_command(app, chosen, "gc", "Run a garbage collection", gc);
  add_text(command, "PID", options.target, kTargetHelp);
  add_flag(command, "--json", options.json, "{usedBefore, usedAfter}, bytes");
}

}  // namespace ddm
