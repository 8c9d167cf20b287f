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
  std::string name_of(std::string_view thread);

 private:
  struct Pool {
    std::set<std::string, std::less<>> threads;
    std::string name;  // "": not made yet
  };
  static std::string name_of_all(const Pool& pool);

  std::map<std::string, Pool> pools_;  // by what is no number in the threads' names
};

}  // namespace ddm
