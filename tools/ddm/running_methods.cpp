#include "running_methods.h"

#include <chrono>

#include "interrupt.h"
#include "output.h"

namespace ddm {
void add_running_rule(CLI::App& command, RunningRule& rule) {
  const auto wait = add_flag(command, "--wait", rule.wait,
                             "Wait until no method of the classes is active: an active method is "
                             "not compiled again before it returns");
  exclude(add_flag(command, "--no-running", rule.refuse,
                   "Change nothing if a method of the classes is active"),
          {wait});
}

std::optional<int> check_running_methods(DdmClient& client, const OutlookRequest& request,
                                         RunningRule rule) {
  constexpr std::chrono::milliseconds kStep{50};
  constexpr std::size_t kMaxNamed = 5;
  bool announced = false;
  for (;;) {
    // An agent without this request still installs hooks, and reports wrong names itself.
    const auto outlook = client.get<ClassOutlook>(to_chunk(request));
    if (!outlook) return {};
    if (!announced) {
      for (const auto& [name, changes] : outlook->changed) {
        complain(
            fmt::format("{} has been changed {} times: the VM soon stops compiling what calls it "
                        "(-XX:PerMethodRecompilationCutoff), for good",
                        name, changes));
      }
    }
    if (outlook->running.empty()) return {};
    const std::string names = listed(outlook->running, kMaxNamed);
    if (rule.refuse) {
      return refuse(fmt::format("{} {} now; nothing was changed", names,
                                outlook->running.size() == 1 ? "runs" : "run"));
    }
    if (!rule.wait) {
      complain(
          fmt::format("{} {} now, and {} not compiled again before the call returns: until then it "
                      "may take 10 to 100 times as long, which no budget sees (--wait waits for "
                      "that, --no-running refuses)",
                      names, outlook->running.size() == 1 ? "runs" : "run",
                      outlook->running.size() == 1 ? "is" : "are"));
      return {};
    }
    if (!announced) complain(fmt::format("waiting until these do not run: {}", names));
    announced = true;
    if (const auto gone = client.listen(kStep)) return refuse(gone->message);
    if (interrupted()) return refuse("nothing was changed");
  }
}

}  // namespace ddm
