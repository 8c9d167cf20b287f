// ddm locks: where a program's threads have waited for locks.
#include <algorithm>
#include <array>

#include "command.h"
#include "ddm_client.h"
#include "output.h"
#include "records/report_words.h"
#include "report_fetch.h"
#include "site_figures.h"
#include "target.h"

namespace ddm {
namespace {

struct LocksOptions {
  std::string target;
  std::string kind;  // "": all
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

std::string ms_text(std::int64_t ns) {
  return fmt::format("{}.{}", grouped(ns / 1'000'000), ns / 100'000 % 10);
}

// A line for each kind: "1,234.5 ms to enter (12 times)".
std::string sums_text(const std::vector<Json>& monitors) {
  struct Kind {
    const char* name;
    const char* words;
  };
  constexpr std::array kKinds = {Kind{"enter", "to enter"}, Kind{"park", "parked"},
                                 Kind{"wait", "in wait()"}, Kind{"pin", "pinned, in parked too"}};
  std::string text;
  for (const auto& [name, words] : kKinds) {
    std::int64_t ns = 0, count = 0;
    for (const Json& monitor : monitors) {
      if (text_in(monitor, "kind") != name) continue;
      ns += number_in(monitor, "ns");
      count += number_in(monitor, "count");
    }
    if (count == 0) continue;
    text += fmt::format("{}{} ms {} ({} times)", text.empty() ? "" : "\n", ms_text(ns), words,
                        grouped(count));
  }
  return text.empty() ? "no thread has had to wait" : text;
}

// "    held by till-1 (1,234.5 ms, 3 times)" and where, of those that held it for most of the time.
void add_holders(const Json& monitor, std::size_t width, TextTable& table) {
  constexpr std::size_t kShown = 3;
  constexpr std::string_view kBefore = "        at ";
  const Json holders = monitor.value("holders", Json::array());
  for (std::size_t i = 0; i < std::min(kShown, holders.size()); ++i) {
    const Json& holder = holders[i];
    table.add_line(shortened(
        fmt::format("    held by {} ({} ms, {} times)", text_in(holder, "thread"),
                    ms_text(number_in(holder, "ns")), grouped(number_in(holder, "count"))),
        width));
    const Json stack = holder.value("stack", Json::array());
    if (stack.empty()) continue;
    table.add_line(
        fmt::format("{}{}", kBefore, frame_text(first_outside_jdk(stack), width - kBefore.size())));
  }
  if (holders.size() > kShown) {
    table.add_line(fmt::format("    and {} more", holders.size() - kShown));
  }
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
  std::vector<Json> monitors;
  for (std::size_t i = 1; i < lines->size(); ++i) {
    const Json& monitor = (*lines)[i];
    if (options.kind.empty() || text_in(monitor, "kind") == options.kind) {
      monitors.push_back(monitor);
      monitors.back().erase("type");
    }
  }
  if (options.json) {
    print_json(Json(monitors));
    return kExitOk;
  }
  const std::size_t width = output_width();
  constexpr std::string_view kBefore = "    at ";
  TextTable table({">WAITED MS", ">COUNT", "KIND", ".CLASS, WHERE"});
  for (std::size_t i = 0; i < std::min(monitors.size(), options.top); ++i) {
    const Json& monitor = monitors[i];
    const std::string type = text_in(monitor, "class");
    const bool known = !type.empty() && type != "unknown";
    table.add({ms_text(number_in(monitor, "ns")), grouped(number_in(monitor, "count")),
               text_in(monitor, "kind"), known ? type : "-"});
    const Json stack = monitor.value("stack", Json::array());
    table.add_line(
        fmt::format("{}{}", kBefore, frame_text(first_outside_jdk(stack), width - kBefore.size())));
    add_holders(monitor, width, table);
  }
  if (!monitors.empty()) print(table.text());
  if (monitors.size() > options.top) {
    print(fmt::format("... {} more (--top N shows more)\n", monitors.size() - options.top));
  }
  print(fmt::format("{}{}\n", sums_text(monitors), state == "off" ? "; no longer timed" : ""));
  return kExitOk;
}

}  // namespace

void add_locks(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand("locks", "Where threads have waited for locks");
  auto options = std::make_shared<LocksOptions>();
  command->add_option("PID", options->target, kTargetHelp)->required();
  command->add_option("--top", options->top, "How many places to show")
      ->capture_default_str()
      ->type_name("N");
  command
      ->add_option(
          "--kind", options->kind,
          "Only what threads waited for so: enter (synchronized), park (java.util.concurrent), "
          "wait (Object.wait()) or pin")
      ->check(CLI::IsMember({"enter", "park", "wait", "pin"}))
      ->type_name("KIND");
  command->add_flag("--json", options->json, "[{kind, class, count, ns, holders, stack}]");
  command->callback([options, &chosen] { chosen = [options] { return locks(*options); }; });
}

}  // namespace ddm
