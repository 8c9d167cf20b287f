// Installs the allocation hooks in every library that is loaded now or later.
//
// A library that is opened with a path (System.load, System.loadLibrary) has its hooks before
// dlopen() returns. Its dependencies, and libraries opened by a bare name, are hooked some
// milliseconds later: a chore polls the loader's count of libraries. (dlopen() cannot be hooked for
// these, because the loader's search depends on the caller of dlopen().)
#pragma once

#include <cstddef>

#include "core/chores.h"

namespace ddm {

// The numbers of libraries that the loader has loaded and unloaded.
struct LoaderCounts {
  unsigned long long added = 0;
  unsigned long long removed = 0;
  friend bool operator==(const LoaderCounts&, const LoaderCounts&) = default;
};

class LibraryWatch {
 public:
  // After prepare_allocation_hooks(). One per process; never destroyed.
  LibraryWatch();

  // Hooks all libraries that are loaded completely. This and the following: one thread at a time.
  void hook();
  // Scans for later ones periodically, until stop(). False: no thread could be started.
  bool start();
  // Restores the real functions in all libraries. After stop(), when no scan is in progress.
  void unhook();
  // Ends scanning. With `wait`, after a scan in progress; then not from a chore.
  static void stop(bool wait = false);

 private:
  // Hooks new libraries; returns when the next scan is due.
  Chores::Clock::time_point scan();

  std::size_t unbound_ = 0;  // slots that cannot be changed until the loader has bound them
  LoaderCounts hooked_;      // as of the last scan
  int busy_ = 0;             // number of scans left at the short interval
  unsigned scans_ = 0;
};

}  // namespace ddm
