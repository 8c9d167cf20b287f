// A snapshot of all threads of the program at one safepoint. Its texts live as long as the snapshot.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace ddm {

struct SeenFrame {
  std::string_view class_name;  // "a.b.C"
  std::string_view method;
  std::string_view file;  // "": unknown
  int line = -1;          // -2: native, -1: unknown
};

// java.lang.Thread.State, with sleeping as a state of its own.
enum class ThreadActivity {
  kNew,
  kRunnable,
  kBlocked,
  kWaiting,
  kTimedWaiting,
  kSleeping,
  kTerminated
};
inline std::string_view state_name(ThreadActivity activity) {
  constexpr std::string_view kNames[] = {"NEW",           "RUNNABLE",      "BLOCKED",   "WAITING",
                                         "TIMED_WAITING", "TIMED_WAITING", "TERMINATED"};
  return kNames[static_cast<std::size_t>(activity)];
}

// A sleeping or running thread waits for no lock.
inline bool waits_for_lock(ThreadActivity activity) {
  return activity == ThreadActivity::kBlocked || activity == ThreadActivity::kWaiting ||
         activity == ThreadActivity::kTimedWaiting;
}

// Facts about a thread besides its stack, collected on request.
struct ThreadFacts {
  std::int64_t id = 0;
  std::string name;
  double cpu_ms = 0;
  double user_ms = 0;
  std::int64_t blocked_count = 0;
  std::int64_t waited_count = 0;
  std::int64_t blocked_ms = -1;  // -1: contention is not timed
  std::int64_t waited_ms = -1;
  bool wanted = true;  // false: USETHREAD excludes the thread, and the figures are unknown
};

struct SeenThread {
  std::int64_t id = 0;      // Java's
  std::uint32_t os_id = 0;  // 0: unknown
  std::string name;
  ThreadActivity activity = ThreadActivity::kRunnable;
  std::vector<SeenFrame> frames;  // innermost first
  std::int64_t lock_owner = -1;   // of the monitor that blocks the thread; -1: nobody, or unknown
  std::string lock_owner_name;
  std::optional<ThreadFacts> facts;  // if an agent needs them
};

struct ThreadSnapshot {
  std::int64_t ms = 0;  // since the epoch
  std::vector<SeenThread> threads;
  std::unordered_set<std::int64_t> excluded;  // the ids of the others that live: USETHREAD
  std::shared_ptr<const void> texts_held;
};

}  // namespace ddm
