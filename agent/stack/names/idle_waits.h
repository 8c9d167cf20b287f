// Whether a thread that waits does so for work, not for a lock. Pure.
#pragma once

#include <cstddef>
#include <string_view>

#include "stack/names/jdk_classes.h"

namespace ddm {

// A method of the JDK in which threads wait for work: those of pools and timers (Tomcat's pool is
// like the JDK's, so a ...ThreadPoolExecutor's getTask(), too), and those that wait for references,
// for connections, or for any socket.
bool is_idle_frame(std::string_view class_name, std::string_view method);

// ReentrantLock$NonfairSync and the like, or a monitor. `kind`: as name_of(MonitorKind).
bool waits_for_lock(std::string_view kind, std::string_view class_name);

// Of a wait of this kind for an object of this class, at a stack of `count` frames, innermost first,
// of which frame_of(i) is the class and the method. Between the wait and the pool there may be the
// program's own queue, if the thread is in its take() or poll(), but not in wait for a lock of it.
// Nor is it idle in wait for the lock that one of several threads holds in accept().
// The frames of a task come before those of the pool that runs it.
template <typename FrameOf>
bool is_idle_wait(std::string_view kind, std::string_view class_name, std::size_t count,
                  FrameOf frame_of) {
  bool in_queue = false;
  for (std::size_t i = 0; i < count; ++i) {
    const auto [type, method] = frame_of(i);
    if (is_idle_frame(type, method)) {
      return !(in_queue || method == "accept") || !waits_for_lock(kind, class_name);
    }
    if (is_jdk_class(type)) continue;
    if (method != "take" && method != "poll") return false;
    in_queue = true;
  }
  return false;
}

}  // namespace ddm
