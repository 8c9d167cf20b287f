// ddm stack: where one thread is.
#include "chunk_json.h"
#include "command.h"
#include "ddm_client.h"
#include "records/report_utf8.h"
#include "target.h"

namespace ddm {
namespace {

struct StackOptions {
  std::string target;
  std::uint32_t thread = 0;
  bool json = false;
};

std::string place(const ThreadStack::Frame& frame) {
  if (frame.line == -2) return "Native Method";
  if (frame.file.empty()) return "Unknown Source";
  return frame.line > 0 ? fmt::format("{}:{}", frame.file, frame.line) : frame.file;
}

int stack(const StackOptions& options) {
  const auto address = find_target(options.target);
  if (!address) return refuse(address.message());
  auto client = DdmClient::connect(*address);
  if (!client) return refuse(client.message());
  const auto answer = client->get<ThreadStack>(to_chunk(StackRequest{options.thread}));
  if (!answer) return refuse(answer.message());
  if (options.json) {
    print_json(*chunk_to_json(to_chunk(*answer)));
    return kExitOk;
  }
  for (const ThreadStack::Frame& frame : answer->frames) {
    print(printable(fmt::format("    at {}.{}({})", frame.class_name, frame.method, place(frame))) +
          "\n");
  }
  if (answer->frames.empty()) print("    (no Java frame)\n");
  return kExitOk;
}

}  // namespace

void add_stack(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand("stack", "Show the stack of one thread");
  auto options = std::make_shared<StackOptions>();
  command->add_option("PID", options->target, kTargetHelp)->required();
  command->add_option("TID", options->thread, "The thread's number in `ddm threads`")->required();
  command->add_flag("--json", options->json, "{id, stack: [{class, method, file, line}]}");
  command->callback([options, &chosen] { chosen = [options] { return stack(*options); }; });
}

}  // namespace ddm
