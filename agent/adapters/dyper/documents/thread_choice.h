// USETHREAD: which threads are looked at. One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <pugixml.hpp>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "adapters/dyper/documents/request.h"

namespace ddm {

// By thread id: these, or all but these.
struct ChosenThreads {
  std::vector<std::int64_t> ids;
  bool all_but_these = true;
};

class ThreadChoice {
 public:
  // <THREADS><THREAD ID='31' IGNORE='true' USE='false' />...</THREADS>
  // `living`: a thread that is not among them can be chosen no more than one that never was; what was
  // chosen before can be taken back. None: that is not known.
  void change(pugi::xml_node threads, const std::optional<std::unordered_set<std::int64_t>>& living,
              std::vector<DyperError>& errors);

  // IGNORE wins over USE; who has neither is used if `by_default`.
  bool uses(std::int64_t thread_id, bool by_default) const;
  ChosenThreads chosen(bool by_default) const;

 private:
  struct Choice {
    bool ignore = false;
    bool use = false;
  };
  static constexpr std::size_t kMost = 100'000;

  std::unordered_map<std::int64_t, Choice> choices_;
};

}  // namespace ddm
