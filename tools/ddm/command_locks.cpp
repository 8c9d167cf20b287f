// ddm locks: where a program's threads have waited for locks.
#include <algorithm>

#include "command.h"
#include "ddm_client.h"
#include "output.h"
#include "records/report_words.h"
#include "report_fetch.h"
#include "target.h"

namespace ddm {
namespace {

struct LocksOptions {
  std::string target;
  std::size_t top = 25;
  bool json = false;
};

std::string text_in(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

std::int64_t number_in(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_number_integer() ? at->get<std::int64_t>() : 0;
}

// "shop.Cart.pay(Cart.java:12)"
std::string frame_text(const Json& frame) {
  const std::string file = text_in(frame, "file");
  const std::int64_t line = number_in(frame, "line");
  return fmt::format("{}.{}({}{})", text_in(frame, "class"), text_in(frame, "method"),
                     file.empty() ? "Unknown Source" : file,
                     line > 0 ? fmt::format(":{}", line) : "");
}

// The frame that waits for people who know the program: the innermost one outside of what the JDK
// waits with.
std::string place_of(const Json& monitor) {
  const auto stack = monitor.find("stack");
  if (stack == monitor.end() || !stack->is_array() || stack->empty()) return "(no Java frame)";
  for (const Json& frame : *stack) {
    const std::string type = text_in(frame, "class");
    if (!type.starts_with("java.") && !type.starts_with("jdk.")) return frame_text(frame);
  }
  return frame_text(stack->front());
}

int locks(const LocksOptions& options) {
  const auto address = find_target(options.target);
  if (!address) return refuse(address.message());
  auto client = DdmClient::connect(*address);
  if (!client) return refuse(client.message());
  const auto lines = fetch_time(*client, "monitor");
  if (!lines) return refuse(lines.message());
  const std::string state = text_in((*lines)[0], "monitor");
  if (state.empty()) {
    return refuse(fmt::format("waiting for locks is not timed there: ddm attach {} monitor=y",
                              options.target));
  }
  if (options.json) {
    Json list = Json::array();
    for (std::size_t i = 1; i < lines->size(); ++i) {
      Json monitor = (*lines)[i];
      monitor.erase("type");
      list.push_back(std::move(monitor));
    }
    print_json(list);
    return kExitOk;
  }
  TextTable table({">WAITED MS", ">COUNT", "KIND", ".CLASS, WHERE"});
  std::int64_t ns = 0;
  for (std::size_t i = 1; i < lines->size(); ++i) {
    const Json& monitor = (*lines)[i];
    ns += number_in(monitor, "ns");
    if (i > options.top) continue;
    table.add({fmt::format("{}.{}", grouped(number_in(monitor, "ns") / 1'000'000),
                           number_in(monitor, "ns") / 100'000 % 10),
               grouped(number_in(monitor, "count")), text_in(monitor, "kind"),
               text_in(monitor, "class")});
    table.add_line("    at " + place_of(monitor));
  }
  print(table.text());
  if (lines->size() - 1 > options.top) {
    print(fmt::format("... {} more (--top N shows more)\n", lines->size() - 1 - options.top));
  }
  print(fmt::format("{} ms in all threads{}\n", grouped(ns / 1'000'000),
                    state == "off" ? "; no longer timed" : ""));
  return kExitOk;
}

}  // namespace

void add_locks(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand("locks", "Where threads have waited for locks");
  auto options = std::make_shared<LocksOptions>();
  command->add_option("PID", options->target, kTargetHelp)->required();
  command->add_option("--top", options->top, "how many places (25)");
  command->add_flag("--json", options->json, "[{kind, class, count, ns, stack}]");
  command->callback([options, &chosen] { chosen = [options] { return locks(*options); }; });
}

}  // namespace ddm
