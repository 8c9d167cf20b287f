// Puts the allocation hooks into every library: those that are loaded, and those that will be.
//
// A library that is opened with a path (System.load, System.loadLibrary) has its hooks before
// dlopen() returns. What it brings along, and what is opened by a bare name, has them some
// milliseconds later: a thread looks at the loader's count of libraries. (A hook cannot stand in
// for dlopen() there, because the loader looks at who calls it.)
#pragma once

#include <cstddef>

namespace ddm {

class LibraryWatch {
 public:
  // After prepare_allocation_hooks(). Hooks what is loaded now. One a process; lives for good.
  LibraryWatch();

  // The thread's body, until stop().
  void run();
  // The VM is gone, though the process may go on: it is no longer looked for libraries.
  static void stop();

 private:
  // The libraries that are loaded completely.
  void hook_all();

  std::size_t unbound_ = 0;  // slots that could not be changed before the loader binds them
};

}  // namespace ddm
