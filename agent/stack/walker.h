// How stacks are walked, and statistics of the walker. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace ddm {

enum class WalkerKind { kAuto, kVm, kAsgct, kJvmti };  // walker=

// Of walker=vm.
struct WalkerCounts {
  std::map<std::string, std::int64_t> gave_up;   // stacks taken by JVMTI instead, by reason
  std::int64_t compared = 0;                     // stacks compared with JVMTI's
  std::map<std::string, std::int64_t> differed;  // of those, by kind of difference
};

}  // namespace ddm
