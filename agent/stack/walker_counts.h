#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace ddm {

// How the walk of stacks fared (walker=vm).
struct WalkerCounts {
  std::map<std::string, std::int64_t> gave_up;   // stacks that JVMTI told instead, by reason
  std::int64_t compared = 0;                     // stacks held against JVMTI's
  std::map<std::string, std::int64_t> differed;  // of those, by how
};

}  // namespace ddm
