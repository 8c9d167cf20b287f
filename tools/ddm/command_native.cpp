// ddm native: who holds native memory, by stack: native functions and the Java frames that called them.
#include <algorithm>

#include "command.h"
#include "core/whole_text.h"
#include "jvm_process.h"
#include "native/native_stacks.h"
#include "output.h"
#include "report/report.h"
#include "report/report_words.h"
#include "target.h"

namespace ddm {
namespace {

struct NativeOptions : TargetOptions {
  std::string path;
  std::size_t top = 10;
};

constexpr std::size_t kNativeFramesShown = 8;

Json native_json(const std::vector<NativeStack>& stacks) {
  Json rows = Json::array();
  for (const NativeStack& stack : stacks) {
    Json frames = Json::array();
    for (const NativeFrame& frame : stack.frames) {
      if (frame.is_java()) {
        frames.push_back({{"class", json_text(frame.class_name)},
                          {"method", json_text(frame.method)},
                          {"file", json_text(frame.file)},
                          {"line", frame.line}});
      } else {
        frames.push_back(
            {{"symbol",
              json_text(frame.symbol.empty() ? fmt::format("{:#x}", frame.offset) : frame.symbol)},
             {"library", json_text(frame.library)}});
      }
    }
    rows.push_back({{"bytes", stack.bytes}, {"count", stack.count}, {"stack", std::move(frames)}});
  }
  return {{"rows", std::move(rows)}};
}

// Outermost first, as flame graph tools take it.
std::string collapsed(const std::vector<NativeStack>& stacks) {
  std::string text;
  for (const NativeStack& stack : stacks) {
    std::string line;
    for (auto frame = stack.frames.rbegin(); frame != stack.frames.rend(); ++frame) {
      if (!line.empty()) line += ';';
      std::string name = printable(text_of(*frame));
      std::replace_if(
          name.begin(), name.end(), [](char c) { return c == ' ' || c == ';'; }, '_');
      line += name;
    }
    text += fmt::format("{} {}\n", line.empty() ? "(no stack)" : line, stack.bytes);
  }
  return text;
}

void print_native(const std::vector<NativeStack>& stacks, std::size_t top) {
  std::int64_t bytes = 0, count = 0;
  for (const NativeStack& stack : stacks) {
    bytes += stack.bytes;
    count += stack.count;
  }
  print("about {} in {} blocks of malloc that are not freed, estimated from samples\n",
        human_bytes(bytes), grouped(count));
  for (std::size_t i = 0; i < std::min(stacks.size(), top); ++i) {
    const NativeStack& stack = stacks[i];
    print("\n{}, {} blocks\n", human_bytes(stack.bytes), grouped(stack.count));
    for (std::size_t f = 0; f < std::min(stack.frames.size(), kNativeFramesShown); ++f) {
      print("    {} {}\n", f == 0 ? "at" : "by", text_of(stack.frames[f]));
    }
    if (stack.frames.size() > kNativeFramesShown) {
      print("       {} frames more\n", stack.frames.size() - kNativeFramesShown);
    }
  }
  if (stacks.size() > top) print("\n{} stacks more; --top shows more\n", stacks.size() - top);
}

int native(const NativeOptions& options) {
  if (!options.path.empty() && !options.path.ends_with(".collapsed")) {
    return misused("'" + options.path + "': of native memory there is .collapsed");
  }
  const auto named = named_target(options.target);
  if (!named) return refuse(named.message());
  auto client = connect_to_target(*named);
  if (!client) return refuse(client.message());
  const auto heap = client->get<NativeHeap>({NativeHeap::kType, {}});
  if (!heap) {
    return refuse(heap.message() +
                  "; native memory is sampled if the program is started with the "
                  "agent's option native=512k");
  }
  const auto jvm = JvmProcess::find(number_in<pid_t>(*named).value_or(0));
  const NativeStacks stacks(
      *heap, [&jvm](const std::string& path) { return jvm ? jvm->path(path) : path; });
  if (!options.path.empty()) {
    const std::string problem = write_report_file(options.path, collapsed(stacks.stacks()));
    if (!problem.empty()) return refuse(problem);
    print("report written to {}\n", options.path);
  } else if (options.json) {
    print_json(native_json(stacks.stacks()));
  } else {
    print_native(stacks.stacks(), options.top);
  }
  return kExitOk;
}

}  // namespace

void add_native(CLI::App& app, Command& chosen) {
  const auto [command, options] =
      add_command(app, chosen, "native", "Show who holds native memory (native=)", native);
  command.add_option("PID", options.target, kOnlyTargetHelp);
  command.add_option("--top", options.top, "How many stacks")->capture_default_str();
  CLI::Option* const file =
      command.add_option("-o", options.path, "Write a report to a file: .collapsed")
          ->type_name("FILE");
  command
      .add_flag("--json", options.json,
                "All: {rows: [{bytes, count, stack: [{symbol, library} or {class, method, file, "
                "line}]}]}")
      ->excludes(file);
}

}  // namespace ddm
