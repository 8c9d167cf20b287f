// Calls of JVMTI that may create jmethodIDs, one at a time where the VM needs that.
//
// Before 23 (JDK-8313332) InstanceKlass::get_jmethod_id() loads the class's table of jmethodIDs
// before it takes its lock, and another thread that meets an obsolete method may grow the table and
// free the old one meanwhile: redefinition under load yields invalid ids.
//
// Any attached thread.
#pragma once

#include <jvmti.h>

#include <chrono>
#include <mutex>

namespace ddm {

class IdCreation {
 public:
  using Turn = std::unique_lock<std::timed_mutex>;

  explicit IdCreation(jvmtiEnv* jvmti);

  // To be held during a call of GetStackTrace, which creates the ids of the methods that it finds.
  [[nodiscard]] Turn turn();
  // Creates the ids of all methods of the class.
  void create_all(jclass owner);

 private:
  // Longer than any such call takes. If the lock is held longer, its owner is suspended and not
  // inside the call.
  static constexpr std::chrono::milliseconds kPatience{10};

  jvmtiEnv* const jvmti_;
  const bool one_at_a_time_;
  std::timed_mutex mutex_;
};

}  // namespace ddm
