// The JDK's own jdwp agent (-agentlib:jdwp), seen from beside it.
#pragma once

#include <jni.h>

#include <cstdint>
#include <string>

namespace ddm {

// Where its library is in memory: all zero when it is not there. With it a debugger may come now, later
// or never. Any thread.
struct LibraryRange {
  std::uintptr_t begin = 0, end = 0;
  bool empty() const { return begin == end; }
  bool contains(const void* code) const {
    const auto place = reinterpret_cast<std::uintptr_t>(code);
    return place >= begin && place < end;
  }
};
LibraryRange jdwp_library();

// Where it waits for a debugger, as it says itself: "dt_socket:5005". "": there is none, or it does
// not wait. Live phase; leaves no exception pending.
std::string jdwp_listener(JNIEnv* jni);

}  // namespace ddm
