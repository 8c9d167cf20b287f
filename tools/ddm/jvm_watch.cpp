#include "jvm_watch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>

#include "containers/published.h"
#include "core/proc_stat.h"
#include "target.h"

namespace ddm {
namespace {

constexpr std::chrono::seconds kReplyTime{2};
constexpr std::chrono::seconds kRetryAfter{10};
constexpr std::size_t kMaxParallel = 8;

double cpu_seconds(std::int64_t ticks) {
  return static_cast<double>(ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

WatchedJvm JvmWatch::read_one(State& state) {
  WatchedJvm jvm{state.target.pid, state.target.app, state.target.vm, {}, {}, 0, {}};
  if (Clock::now() < state.retry_at) return jvm;
  const auto fail = [&] {
    state.client.reset();
    state.before.reset();
    state.retry_at = Clock::now() + kRetryAfter;
    return jvm;
  };
  if (!state.client) {
    const auto address = find_target(std::to_string(state.target.pid));
    if (!address) return fail();
    auto client = DdmClient::connect(*address, kReplyTime);
    if (!client) return fail();
    state.client.emplace(std::move(*client));
  }
  state.client->cancel_when([until = Clock::now() + kReplyTime] { return Clock::now() > until; });
  auto figures = jvm_figures(*state.client);
  state.client->take_events();
  if (!figures) return fail();
  const auto now = Clock::now();
  const std::chrono::duration<double> passed = now - state.at;
  const auto stat = read_proc_stat(fmt::format("/proc/{}/stat", state.target.pid));
  const std::int64_t ticks = stat ? stat->cpu_ticks : 0;
  if (state.before) {
    jvm.cpu_percent = 100 * cpu_seconds(ticks - state.cpu_ticks) / std::max(passed.count(), 0.001);
  }
  jvm.agent_cpu_seconds = state.agent_cpu.read(state.target.pid);
  jvm.bytes_per_second = bytes_per_second(state.before, *figures, passed);
  state.before = *figures;
  state.cpu_ticks = ticks;
  state.at = now;
  jvm.figures = std::move(*figures);
  return jvm;
}

std::vector<WatchedJvm> JvmWatch::read() {
  const std::lock_guard lock(mutex_);
  if (Clock::now() - last_read_at_ < fresh_for_) return last_reading_;
  std::map<pid_t, State> current;
  std::vector<State*> all;
  for (Target& target : all_targets()) {
    auto before = states_.find(target.pid);
    State state;
    // Another program may have the pid of one that has ended.
    if (before != states_.end() && before->second.target.start == target.start) {
      state = std::move(before->second);
    }
    state.target = std::move(target);
    const pid_t pid = state.target.pid;
    all.push_back(&current.insert_or_assign(pid, std::move(state)).first->second);
  }
  states_ = std::move(current);
  last_reading_.assign(all.size(), {});
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < all.size(); i = next++) last_reading_[i] = read_one(*all[i]);
  };
  std::vector<std::thread> helpers;
  try {
    while (helpers.size() + 1 < std::min(kMaxParallel, all.size())) helpers.emplace_back(work);
  } catch (const std::system_error&) {  // continues with fewer threads
  }
  work();
  for (std::thread& helper : helpers) helper.join();
  last_read_at_ = Clock::now();
  return last_reading_;
}

}  // namespace ddm
