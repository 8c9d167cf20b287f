#include "stack/names/idle_waits.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ddm {

bool is_idle_frame(std::string_view class_name, std::string_view method) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kIdle{
      {{"java.util.concurrent.ForkJoinPool", "awaitWork"},
       {"java.util.concurrent.DelayScheduler", "loop"},
       {"java.lang.VirtualThread", "takeVirtualThreadListToUnblock"},
       {"java.util.TimerThread", "mainLoop"},
       {"java.lang.ref.ReferenceQueue", "remove"},
       {"java.lang.ref.Reference", "waitForReferencePendingList"},
       {"sun.nio.ch.EPoll", "wait"},
       {"sun.nio.ch.NioSocketImpl", "accept"},
       {"sun.nio.ch.ServerSocketChannelImpl", "accept"}}};
  if (class_name.ends_with("ThreadPoolExecutor") && method == "getTask") return true;
  return std::ranges::any_of(kIdle, [&](const auto& known) {
    return class_name == known.first && method == known.second;
  });
}

bool waits_for_lock(std::string_view kind, std::string_view class_name) {
  return kind == "enter" || class_name.ends_with("Sync");
}

}  // namespace ddm
