// Puts the allocation hooks into every library that is loaded now or later.
//
// A library that is opened with a path (System.load, System.loadLibrary) has its hooks before
// dlopen() returns. Its dependencies, and libraries opened by a bare name, are hooked some
// milliseconds later: a chore polls the loader's count of libraries. (dlopen() cannot be hooked for
// these, because the loader's search depends on the caller of dlopen().)
#pragma once

#include <cstddef>

#include "core/chores.h"

namespace ddm {

// How many libraries the loader has loaded and unloaded.
struct LoaderCounts {
  unsigned long long added = 0;
  unsigned long long removed = 0;
  friend bool operator==(const LoaderCounts&, const LoaderCounts&) = default;
};

class LibraryWatch {
 public:
  // After prepare_allocation_hooks(). One a process; lives for good.
  LibraryWatch();

  // Hooks what is loaded now. What follows is one thread's at a time.
  void hook();
  // Looks for those that come later, until stop(). False: no thread can be started for it.
  bool start();
  // Gives all libraries the real functions back. After stop(), and when no look goes on.
  void unhook();
  // Stops looking for libraries. With `wait`, a look in progress ends first; not from a chore.
  static void stop(bool wait = false);

 private:
  // Hooks what is new. When it is to look again.
  Chores::Clock::time_point look();
  // The libraries that are loaded completely.
  void hook_all();

  std::size_t unbound_ = 0;  // slots that could not be changed before the loader binds them
  LoaderCounts hooked_;      // when all that was there was hooked
  int busy_ = 0;             // so many looks come soon after each other
  unsigned looks_ = 0;
};

}  // namespace ddm
