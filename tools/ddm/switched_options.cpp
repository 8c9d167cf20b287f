#include "switched_options.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "attach.h"
#include "core/whole_text.h"
#include "report_fetch.h"
#include "site_figures.h"

namespace ddm {
namespace {

void append_option(std::string& options, const std::string& option) {
  options += (options.empty() ? "" : ",") + option;
}

struct OnNow {
  bool cpu = false, locks = false;
};

// For how long the sampler has been on; -1: it never was.
std::int64_t sampled_ns(const Json& summary) {
  const auto sampler = summary.find("sampler");
  return sampler != summary.end() ? number_of(*sampler, "on_ns") : -1;
}

// A sampler that is off says how it fared while it was on; only one that is on gets older.
OnNow on_now(DdmClient& client) {
  constexpr std::chrono::milliseconds kLook{60};
  OnNow now;
  const auto lines = fetch_time(client, {});
  if (!lines || lines->empty()) return now;
  now.locks = text_of(lines->front(), "monitor") == "on";
  const std::int64_t before = sampled_ns(lines->front());
  if (before < 0) return now;
  std::this_thread::sleep_for(kLook);
  const auto later = fetch_time(client, {});
  now.cpu = later && !later->empty() && sampled_ns(later->front()) > before;
  return now;
}

}  // namespace

Result<SwitchedOptions> SwitchedOptions::on(DdmClient& client, const std::string& target,
                                            const std::string& agent, const WantedOptions& wanted) {
  SwitchedOptions switched;
  if (!wanted.any()) return switched;
  const auto jvm = JvmProcess::find(number_in<pid_t>(target).value_or(0));
  if (!jvm) {
    return Error{
        "--cpu, --locks, --live and --interval are switched on by loading options, which takes a "
        "pid "
        "of this machine"};
  }
  const auto summary = fetch_summary(client);
  if (!summary) return summary.error();
  const OnNow before = on_now(client);
  std::string there, back;
  const auto add = [&](bool is_wanted, const char* option, const char* undone) {
    if (!is_wanted) return;
    append_option(there, option);
    append_option(back, undone);
  };
  add(wanted.cpu && !before.cpu, "cpu=samples", "cpu=off");
  add(wanted.locks && !before.locks, "monitor=y", "monitor=n");
  add(wanted.live && !summary->contains("gc"), "live=y", "live=n");
  if (wanted.interval > 0) {
    append_option(there, fmt::format("engine=vm,interval={}", wanted.interval));
    const std::string engine = text_of(*summary, "engine");
    append_option(back, fmt::format("engine={},interval={}", engine == "bci" ? "bci" : "vm",
                                    number_of(*summary, "interval")));
  }
  if (there.empty()) return switched;
  const auto library = agent_path(agent);
  if (!library) return library.error();
  if (auto problem = load_agent(*jvm, *library, there)) return std::move(*problem);
  switched.library_ = *library;
  switched.back_ = std::move(back);
  switched.jvm_ = *jvm;
  return switched;
}

SwitchedOptions::SwitchedOptions(SwitchedOptions&& other) noexcept
    : library_(std::move(other.library_)),
      back_(std::move(other.back_)),
      jvm_(std::exchange(other.jvm_, std::nullopt)) {}

// A program that is gone needs nothing undone.
SwitchedOptions::~SwitchedOptions() {
  if (jvm_) static_cast<void>(load_agent(*jvm_, library_, back_));
}

}  // namespace ddm
