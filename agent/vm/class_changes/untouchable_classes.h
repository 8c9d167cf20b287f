// The classes that must never be changed, by internal name. Pure.
#pragma once

#include <string_view>

namespace ddm {

// "" or why not. Methods of VirtualThread that run on the carrier alone may still get a call
// (park_hooks.h).
inline std::string_view why_untouchable(std::string_view class_name) {
  if (class_name.starts_with("java/lang/DdmTracker")) return "it is a class of the agent";
  for (const std::string_view one :
       {"java/lang/VirtualThread", "java/lang/ThreadBuilders$BoundVirtualThread",
        "jdk/internal/vm/Continuation"}) {
    if (class_name.starts_with(one)) return "it runs while a virtual thread changes its carrier";
  }
  return "";
}

inline bool is_untouchable(std::string_view class_name) {
  return !why_untouchable(class_name).empty();
}

}  // namespace ddm
