// Observes the JDK's own jdwp agent (-agentlib:jdwp).
#pragma once

#include <jni.h>

#include <cstdint>
#include <string>

namespace ddm {

// Where its library is mapped; all zero: not loaded. If it is, a debugger may connect at any time.
// Any thread.
struct LibraryRange {
  std::uintptr_t begin = 0, end = 0;
  bool empty() const { return begin == end; }
  bool contains(const void* code) const {
    const auto place = reinterpret_cast<std::uintptr_t>(code);
    return place >= begin && place < end;
  }
};
LibraryRange jdwp_library();

// Where it listens for a debugger, in its own words: "dt_socket:5005". "": there is none, or it
// does not listen. Live phase; leaves no exception pending.
std::string jdwp_listener(JNIEnv* jni);

}  // namespace ddm
