// Which end belongs to which entry, in events as their threads told them: an end without an entry is
// left out, and what a call has called that was not seen to end ends with it, by an exception. One
// thread at a time.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "time/calls/call_log.h"

namespace ddm {

class MatchedCalls {
 public:
  // The events of each thread in their order; `use(CallEvent)` for those that come of it.
  template <typename Use>
  void add(const CallEvent& event, Use use) {
    std::vector<MethodNumber>& open = open_[event.thread];
    if (event.action == CallAction::kEnter) {
      open.push_back(event.method);
      return use(event);
    }
    const auto found = std::find(open.rbegin(), open.rend(), event.method);
    if (found == open.rend()) return;
    for (auto inner = open.rbegin(); inner != found; ++inner) {
      use(CallEvent{event.at, event.cpu, *inner, event.thread, CallAction::kThrow});
    }
    open.erase(found.base() - 1, open.end());
    use(event);
  }

 private:
  std::map<std::uint16_t, std::vector<MethodNumber>> open_;  // by thread, the innermost last
};

}  // namespace ddm
