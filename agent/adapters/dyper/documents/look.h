// What one look at the program's threads has found. The texts belong to whoever has looked, and
// stay as long as the look.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ddm {

struct SeenFrame {
  std::string_view class_name;  // "a.b.C"
  std::string_view method;
  std::string_view file;  // "" = not known
  int line = -1;          // -2 native, -1 not known
};

// java.lang.Thread.State, with sleeping apart.
enum class ThreadDoing {
  kNew,
  kRunnable,
  kBlocked,
  kWaiting,
  kTimedWaiting,
  kSleeping,
  kTerminated
};
std::string_view state_name(ThreadDoing doing);

struct SeenThread {
  std::int64_t id = 0;  // Java's
  std::string name;
  ThreadDoing doing = ThreadDoing::kRunnable;
  std::vector<SeenFrame> frames;  // innermost first
  std::int64_t lock_owner = -1;   // of what it is blocked on; -1 = nobody, or not known
  std::string lock_owner_name;
};

struct Look {
  std::int64_t ms = 0;  // since the epoch
  std::vector<SeenThread> threads;
  std::shared_ptr<const void> texts_held;
};

// What is known of a thread beside its stack, when somebody asks.
struct ThreadFacts {
  std::int64_t id = 0;
  std::string name;
  double cpu_ms = 0;
  double user_ms = 0;
  std::int64_t blocked_count = 0;
  std::int64_t waited_count = 0;
  std::int64_t blocked_ms = -1;  // -1: contention is not timed
  std::int64_t waited_ms = -1;
};

}  // namespace ddm
