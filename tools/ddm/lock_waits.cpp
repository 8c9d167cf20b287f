#include "lock_waits.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "stack/names/jdk_classes.h"

namespace ddm {
namespace {

bool is_idle_frame(std::string_view type, std::string_view method) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kIdle{
      {{"java.util.concurrent.ForkJoinPool", "awaitWork"},
       {"java.util.TimerThread", "mainLoop"},
       {"java.lang.ref.ReferenceQueue", "remove"}}};
  if (type.ends_with("ThreadPoolExecutor") && method == "getTask") return true;
  return std::ranges::any_of(
      kIdle, [&](const auto& known) { return type == known.first && method == known.second; });
}

// ReentrantLock$NonfairSync and the like, or a monitor.
bool waits_for_lock(const Json& wait) {
  return text_of(wait, "kind") == "enter" || text_of(wait, "class").ends_with("Sync");
}

// Waits for a lock that can have an owner: not for a condition, a latch or a semaphore.
bool can_have_holder(const Json& wait) {
  const std::string kind = text_of(wait, "kind"), type = text_of(wait, "class");
  return kind == "enter" || (kind == "park" && type.starts_with("java.util.concurrent.locks.") &&
                             type.ends_with("fairSync"));
}

}  // namespace

bool is_idle_wait(const Json& wait) {
  bool in_queue = false;
  // The frames of a task come before those of the pool that runs it.
  for (const Json& frame : array_of(wait, "stack")) {
    const std::string type = text_of(frame, "class"), method = text_of(frame, "method");
    if (is_idle_frame(type, method)) return !in_queue || !waits_for_lock(wait);
    if (is_jdk_class(type)) continue;
    if (method != "take" && method != "poll") return false;
    in_queue = true;
  }
  return false;
}

HolderCounts count_holders(const std::vector<Json>& waits) {
  HolderCounts counts;
  for (const Json& wait : waits) {
    if (!can_have_holder(wait)) continue;
    counts.waits += number_of(wait, "count");
    for (const Json& holder : array_of(wait, "holders")) {
      counts.known += number_of(holder, "count");
    }
  }
  return counts;
}

}  // namespace ddm
