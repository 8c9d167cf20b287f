// ddm info: a program's VM, flags and heap usage.
#include "chunk_json.h"
#include "command.h"
#include "core/jvm_text.h"
#include "json_values.h"
#include "jvm_figures.h"
#include "wire/chunks/hello.h"
#include "wire/chunks/switch_request.h"

namespace ddm {
namespace {

std::string heap_summary(const HeapUsage& heap) {
  return fmt::format("{} used of {}, max {}", heap_bytes(heap.used_bytes),
                     heap_bytes(heap.committed_bytes), heap_bytes(heap.max_bytes));
}

void line(std::string_view name, std::string_view value) {
  constexpr std::size_t kIndent = 10;
  print(
      fmt::format("{:<{}}{}\n", name, kIndent, wrapped(printable(value), kIndent, output_width())));
}

int info(const TargetOptions& options) {
  auto client = connect_to_target(options.target);
  if (!client) return refuse(client.message());
  const auto hello = client->get<HelloReply>(to_chunk(HelloRequest{}));
  if (!hello) return refuse(hello.message());

  // Other VMs do not answer all of these requests; missing figures are omitted.
  const auto features = client->get<Features>({Features::kType, {}});
  const auto tracking = client->get<TrackingState>({TrackingState::kType, {}});

  if (options.json) {
    Json result = {{"address", client->name()}};
    result.update(*chunk_to_json(to_chunk(*hello)));
    if (features) result["features"] = *chunk_to_json(to_chunk(*features));
    const auto heap = client->get<HeapInfo>(to_chunk(HeapInfoRequest{HeapInfoWhen::kNow}));
    if (heap) result["heaps"] = *chunk_to_json(to_chunk(*heap));
    if (tracking) result["tracking"] = tracking->on;
    return print_json(result);
  }
  line("pid", std::to_string(hello->pid));
  line("app", hello->app);
  line("vm", hello->vm);
  line("abi", hello->abi);
  line("flags", hello->jvm_flags);
  line("address", client->name());
  if (features) line("features", listed(features->names, features->names.size()));
  if (const auto usage = heap_usage(*client); usage && *usage) line("heap", heap_summary(**usage));
  if (tracking) line("tracking", tracking->on ? "on" : "off");
  return kExitOk;
}

}  // namespace

void add_info(CLI::App& app, Command& chosen) {
  const auto [command, options] =
      add_command(app, chosen, "info", "Show VM version, flags and heap usage", info);
  add_text(command, "PID", options.target, kTargetHelp);
  add_flag(command, "--json", options.json, "One object");
}

}  // namespace ddm
