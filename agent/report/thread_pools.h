// Threads of one pool, by their names: equal but for the numbers in them ("pool-1-thread-7").
//
// A table that lists each of twenty such threads hides what they have in common. Pure; one thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace ddm {

class ThreadPools {
 public:
  // Fewer are told one by one.
  static constexpr std::size_t kFewest = 4;

  void add(std::string_view thread);
  // "pool-1-thread-* (20 threads)", with a * for each number that differs; the name itself if it is of
  // no such pool among the threads that were added.
  std::string name_of(std::string_view thread) const;

 private:
  std::map<std::string, std::set<std::string, std::less<>>> names_;  // by what is no number
};

}  // namespace ddm
