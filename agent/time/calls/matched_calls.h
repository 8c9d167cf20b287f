// Matches exits with entries in the events of each thread. An exit without an entry is dropped;
// callees without an exit end with their caller, by an exception. A constructor nested a thousand
// deep is treated likewise: one that fails in super() has no exit event, and its caller may never
// return. One thread at a time.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "time/calls/call_log.h"

namespace ddm {

class MatchedCalls {
 public:
  explicit MatchedCalls(std::function<bool(MethodNumber)> is_constructor)
      : is_constructor_(std::move(is_constructor)) {}

  // Add each thread's events in order; `use(CallEvent)` receives the matched ones.
  template <typename Use>
  void add(const CallEvent& event, Use use) {
    std::vector<MethodNumber>& open = open_[event.thread];
    std::map<MethodNumber, std::size_t>& count = counts_[event.thread];
    if (event.action == CallAction::kEnter) {
      if (++count[event.method] > kMostNested && is_constructor_(event.method)) {
        end_down_to(std::ranges::find(open, event.method), open, event, use);
        count[event.method] = 1;
      }
      open.push_back(event.method);
      return use(event);
    }
    std::size_t& same = count[event.method];
    if (same == 0) return;
    end_down_to(std::find(open.rbegin(), open.rend(), event.method).base(), open, event, use);
    open.pop_back();
    --same;
    use(event);
  }

 private:
  static constexpr std::size_t kMostNested = 1024;

  template <typename Use>
  void end_down_to(std::vector<MethodNumber>::iterator last, std::vector<MethodNumber>& open,
                   const CallEvent& event, Use use) {
    for (auto left = open.end() - last; left > 0; --left) {
      use(CallEvent{event.at, event.cpu, open.back(), event.thread, CallAction::kThrow});
      --counts_[event.thread][open.back()];
      open.pop_back();
    }
  }

  const std::function<bool(MethodNumber)> is_constructor_;
  std::map<std::uint16_t, std::map<MethodNumber, std::size_t>> counts_;  // number of open calls
  std::map<std::uint16_t, std::vector<MethodNumber>> open_;  // open calls by thread, innermost last
};

}  // namespace ddm
