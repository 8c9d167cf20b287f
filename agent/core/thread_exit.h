// Gives back what a thread has when the thread ends.
//
// By a pthread key, not by destructors of thread_local objects: these run first, and those of objects
// that are made afterwards never. The destructors of the program's own keys may still attach the
// thread to the VM and allocate; what the agent makes then is given back in a further round, of which
// there are PTHREAD_DESTRUCTOR_ITERATIONS. One key for all: no code of the program runs between two
// of these calls.
#pragma once

namespace ddm {

class ThreadExit {
 public:
  using Release = void (*)() noexcept;

  // Calls `release` once when the calling thread ends; of several the last one first.
  static void call(Release release) noexcept;
};

}  // namespace ddm
