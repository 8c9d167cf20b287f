// ddm stack: where one thread is, or all of them.
#include "chunk_json.h"
#include "command.h"
#include "ddm_client.h"
#include "records/report_utf8.h"
#include "target.h"
#include "threads.h"

namespace ddm {
namespace {

struct StackOptions {
  std::string target;
  std::uint32_t thread = 0;
  bool all = false;
  bool json = false;
};

std::string place(const ThreadStack::Frame& frame) {
  if (frame.line == -2) return "Native Method";
  if (frame.file.empty()) return "Unknown Source";
  return frame.line > 0 ? fmt::format("{}:{}", frame.file, frame.line) : frame.file;
}

void print_frames(const ThreadStack& stack) {
  for (const ThreadStack::Frame& frame : stack.frames) {
    print(printable(fmt::format("    at {}.{}({})", frame.class_name, frame.method, place(frame))) +
          "\n");
  }
  if (stack.frames.empty()) print("    (no Java frame)\n");
}

int one_stack(DdmClient& client, const StackOptions& options) {
  const auto answer = client.get<ThreadStack>(to_chunk(StackRequest{options.thread}));
  if (!answer) return refuse(answer.message());
  if (options.json) {
    print_json(*chunk_to_json(to_chunk(*answer)));
  } else {
    print_frames(*answer);
  }
  return kExitOk;
}

// One after the other: the program runs on between two of them.
int all_stacks(DdmClient& client, bool json) {
  const auto threads = list_threads(client);
  if (!threads) return refuse(threads.message());
  Progress progress("stacks");
  client.on_progress([&progress](std::size_t bytes) { progress.show(bytes); });
  Json list = Json::array();
  for (const auto& [status, name] : *threads) {
    const auto answer = client.ask(to_chunk(StackRequest{status.id}));
    if (!answer) return refuse(answer.message());
    std::optional<ThreadStack> stack;
    if (answer->type == ThreadStack::kType) stack = ThreadStack::decode(answer->data);
    if (!stack) continue;  // it has ended meanwhile
    if (json) {
      Json thread = {
          {"id", status.id}, {"name", json_text(name)}, {"state", thread_state_name(status.state)}};
      thread["stack"] = (*chunk_to_json(to_chunk(*stack)))["stack"];
      list.push_back(std::move(thread));
      continue;
    }
    print(fmt::format("\"{}\" #{} {}{}\n", printable(name), status.id,
                      status.daemon ? "daemon " : "", thread_state_name(status.state)));
    print_frames(*stack);
    print("\n");
  }
  if (json) print_json(list);
  return kExitOk;
}

int stack(const StackOptions& options) {
  const auto address = find_target(options.target);
  if (!address) return refuse(address.message());
  auto client = DdmClient::connect(*address);
  if (!client) return refuse(client.message());
  return options.all ? all_stacks(*client, options.json) : one_stack(*client, options);
}

}  // namespace

void add_stack(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand("stack", "Show the stack of one thread, or of all");
  auto options = std::make_shared<StackOptions>();
  command->add_option("PID", options->target, kTargetHelp)->required();
  CLI::Option* thread =
      command->add_option("TID", options->thread, "The thread's number in `ddm threads`");
  CLI::Option* all = command->add_flag("--all", options->all, "All threads, as jstack shows them");
  all->excludes(thread);
  command->add_flag("--json", options->json,
                    "{id, stack: [{class, method, file, line}]}; with --all an array of {id, name, "
                    "state, stack}");
  command->callback([options, thread, &chosen] {
    if (thread->empty() && !options->all) {
      throw CLI::ValidationError("stack", "give a TID or --all");
    }
    chosen = [options] { return stack(*options); };
  });
}

}  // namespace ddm
