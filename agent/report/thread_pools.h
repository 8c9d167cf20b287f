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
  static constexpr std::size_t kFewest = 4;

  // `fewest`: threads of a pool with fewer are told one by one.
  explicit ThreadPools(std::size_t fewest = kFewest) : fewest_(fewest) {}

  void add(std::string_view thread);
  // "pool-1-thread-* (20 threads)", or without the number of threads: a * stands for each number that
  // differs. The name itself if it is of no such pool among the threads that were added.
  std::string name_of(std::string_view thread);
  std::string pattern_of(std::string_view thread);

 private:
  struct Pool {
    std::set<std::string, std::less<>> threads;
    std::string pattern;  // "": not made yet
  };
  // Null: it is of no pool of enough threads.
  Pool* pool_of(std::string_view thread);
  static std::string pattern_of_all(const Pool& pool);

  const std::size_t fewest_;

  std::map<std::string, Pool> pools_;  // by what is no number in the threads' names
};

}  // namespace ddm
