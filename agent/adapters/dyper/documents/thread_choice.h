// USETHREAD: the choice of monitored threads. One thread at a time.
#pragma once

#include <cstdint>
#include <pugixml.hpp>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "adapters/dyper/documents/request.h"

namespace ddm {

// By thread id: the listed ones, or all but the listed ones.
struct ChosenThreads {
  std::vector<std::int64_t> ids;
  bool all_but_these = true;
};

class ThreadChoice {
 public:
  // <THREADS><THREAD ID='31' IGNORE='true' USE='false' />...</THREADS> `living`: other ids cannot
  // be chosen, but an earlier choice of them can be taken back. Empty: the living threads are
  // unknown.
  void change(pugi::xml_node threads, const std::unordered_set<std::int64_t>& living,
              DyperErrors& errors);

  // IGNORE overrides USE; a thread with neither is used if `by_default`.
  bool uses(std::int64_t thread_id, bool by_default) const;
  ChosenThreads chosen(bool by_default) const;

 private:
  static constexpr std::size_t kMost = 100'000;

  std::unordered_map<std::int64_t, bool> choices_;  // whether the thread is used
};

}  // namespace ddm
