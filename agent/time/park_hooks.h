// Calls into the agent before and after a thread parks: in LockSupport, where the locks of
// java.util.concurrent wait, and in VirtualThread, where one that cannot leave its carrier does.
//
// The two classes are rewritten when it is switched on, and put back when it is switched off. The
// hook that rewrites is on only while it does so: class loading is not made slower. A thread that
// was parked already is not told of.
#pragma once

#include <jvmti.h>

#include <string>
#include <vector>

namespace ddm {

// Who is told, on the thread that parks.
class ParkListener {
 public:
  virtual ~ParkListener() = default;
  virtual void parking(JNIEnv* jni, bool pinned) noexcept = 0;
  virtual void parked(JNIEnv* jni, bool pinned) noexcept = 0;
};

class ParkHooks {
 public:
  // Attached threads, one at a time; both return "" or what went wrong. `listener` lives as long
  // as the process.
  std::string start(JNIEnv* jni, ParkListener& listener);
  std::string stop();

 private:
  std::string prepare(JNIEnv* jni);
  std::string open_environment(JNIEnv* jni);
  std::string switch_event(jvmtiEvent event, jvmtiEventMode mode);
  std::string rewrite(bool hooked);

  jvmtiEnv* jvmti_ = nullptr;    // of its own: the order of hooks is that of environments
  std::vector<jclass> classes_;  // global references, never given back
  bool on_ = false;
};

}  // namespace ddm
