#include "serve/jvm_watch.h"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <system_error>
#include <thread>

#include "containers/published.h"
#include "proc_stat.h"
#include "target.h"

namespace ddm {
namespace {

constexpr std::chrono::milliseconds kYoung{500};
constexpr std::chrono::seconds kPatience{2};
constexpr std::chrono::seconds kLeftAlone{10};
constexpr std::size_t kAtOnce = 8;

std::optional<double> agent_cpu_of(pid_t pid) {
  const std::string tasks = fmt::format("/proc/{}/task", pid);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(opendir(tasks.c_str()), closedir);
  if (!stream) return {};
  std::int64_t ticks = 0;
  while (const dirent* entry = readdir(stream.get())) {
    if (entry->d_name[0] == '.') continue;
    const auto thread = read_proc_stat(tasks + "/" + entry->d_name + "/stat");
    const bool of_agent =
        thread && (thread->name.starts_with("ddm-") || thread->name.starts_with("ddmagent"));
    if (of_agent) ticks += thread->cpu_ticks;
  }
  return static_cast<double>(ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

WatchedJvm JvmWatch::look_at(Known& known) {
  WatchedJvm jvm{known.target.pid, known.target.app, known.target.vm, {}, {}, {}};
  const auto now = Clock::now();
  if (now < known.ask_again) return jvm;
  const auto fail = [&] {
    known.client.reset();
    known.before.reset();
    known.ask_again = Clock::now() + kLeftAlone;
    return jvm;
  };
  if (!known.client) {
    const auto address = find_target(std::to_string(known.target.pid));
    if (!address) return fail();
    auto client = DdmClient::connect(*address);
    if (!client) return fail();
    known.client.emplace(std::move(*client));
  }
  known.client->give_up_when([until = Clock::now() + kPatience] { return Clock::now() > until; });
  auto figures = jvm_figures(*known.client);
  known.client->take_events();
  if (!figures) return fail();
  jvm.agent_cpu_seconds = agent_cpu_of(known.target.pid);
  jvm.bytes_per_second = bytes_per_second(known.before, *figures, now - known.at);
  known.before = *figures;
  known.at = now;
  jvm.figures = std::move(*figures);
  return jvm;
}

std::vector<WatchedJvm> JvmWatch::look() {
  const std::lock_guard lock(mutex_);
  if (Clock::now() - seen_at_ < kYoung) return seen_;
  std::map<pid_t, Known> still;
  std::vector<Known*> all;
  for (Target& target : all_targets()) {
    auto before = known_.find(target.pid);
    Known known;
    // Another program may have the number of one that has ended.
    if (before != known_.end() && before->second.target.start == target.start) {
      known = std::move(before->second);
    }
    known.target = std::move(target);
    const pid_t pid = known.target.pid;
    all.push_back(&still.insert_or_assign(pid, std::move(known)).first->second);
  }
  known_ = std::move(still);
  seen_.assign(all.size(), {});
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < all.size(); i = next++) seen_[i] = look_at(*all[i]);
  };
  std::vector<std::thread> helpers;
  try {
    while (helpers.size() + 1 < std::min(kAtOnce, all.size())) helpers.emplace_back(work);
  } catch (const std::system_error&) {  // fewer do it too
  }
  work();
  for (std::thread& helper : helpers) helper.join();
  seen_at_ = Clock::now();
  return seen_;
}

}  // namespace ddm
