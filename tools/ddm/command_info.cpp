// ddm info: who a program is, and how it stands.
#include "chunk_json.h"
#include "command.h"
#include "ddm/app_state.h"
#include "ddm/heap_info.h"
#include "ddm/hello.h"
#include "ddm/profiling.h"
#include "ddm/switch_request.h"
#include "ddm_client.h"
#include "heap_text.h"
#include "target.h"

namespace ddm {
namespace {

std::string words(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& word : list) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string heap_words(const HeapInfo::Heap& heap) {
  return fmt::format("{} used of {}, at most {}", heap_bytes(heap.allocated_bytes),
                     heap_bytes(heap.current_bytes), heap_bytes(heap.max_bytes));
}

int info(const std::string& target, bool json) {
  const auto address = find_target(target);
  if (!address) return refuse(address.message());
  auto client = DdmClient::connect(*address);
  if (!client) return refuse(client.message());
  const auto hello = client->get<HelloReply>(to_chunk(HelloRequest{}));
  if (!hello) return refuse(hello.message());

  // The rest is shown as far as the program has it: other VMs know less.
  const auto features = client->get<Features>({Features::kType, {}});
  const auto heap = client->get<HeapInfo>(to_chunk(HeapInfoRequest{HeapInfoWhen::kNow}));
  const auto tracking = client->get<TrackingState>({TrackingState::kType, {}});

  if (json) {
    Json result = {{"address", to_string(*address)}};
    result.update(*chunk_to_json(to_chunk(*hello)));
    if (features) result["features"] = *chunk_to_json(to_chunk(*features));
    if (heap) result["heaps"] = *chunk_to_json(to_chunk(*heap));
    if (tracking) result["tracking"] = tracking->on;
    print_json(result);
    return kExitOk;
  }
  TextTable table({"pid", std::to_string(hello->pid)});
  table.add({"app", hello->app});
  table.add({"vm", hello->vm});
  table.add({"abi", hello->abi});
  table.add({"flags", hello->jvm_flags});
  table.add({"address", to_string(*address)});
  if (features) table.add({"features", words(features->names)});
  const HeapInfo::Heap* whole = heap ? java_heap(*heap) : nullptr;
  if (whole != nullptr) table.add({"heap", heap_words(*whole)});
  if (tracking) table.add({"tracking", tracking->on ? "on" : "off"});
  print(table.text());
  return kExitOk;
}

}  // namespace

void add_info(CLI::App& app, Command& chosen) {
  struct Options {
    std::string target;
    bool json = false;
  };
  CLI::App* command = app.add_subcommand("info", "Show who a program is, and its heap in figures");
  auto options = std::make_shared<Options>();
  command->add_option("PID", options->target, kTargetHelp)->required();
  command->add_flag("--json", options->json, "One object");
  command->callback(
      [options, &chosen] { chosen = [options] { return info(options->target, options->json); }; });
}

}  // namespace ddm
