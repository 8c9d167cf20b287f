// Hooks before and after a thread parks: in LockSupport, which the locks of java.util.concurrent
// use, and in VirtualThread, where a pinned thread parks its carrier.
//
// The two classes are rewritten by start() and restored by stop(); no ClassFileLoadHook stays
// enabled meanwhile. Threads that were parked before are not reported.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <string>
#include <vector>

#include "vm/class_changes/class_hooks.h"

namespace ddm {

class MonitorTimes;

class ParkHooks final : private ClassRewriting {
 public:
  // Attached threads, one at a time; both return "" or the error. `listener` must live as long as
  // the process.
  std::string start(JNIEnv* jni, MonitorTimes& listener);
  std::string stop();

 private:
  bool wants_new() const override { return false; }
  bool may_want(std::string_view internal_name, bool is_platform) override;
  std::optional<bci::Bytes> rewrite(JNIEnv* jni, const LoadingClass& loading,
                                    bci::ByteSpan class_file) override;
  bool needs_change(jclass klass, std::string_view internal_name, bool is_platform) override;
  void incomplete(const std::string& reason) override;

  std::string prepare(JNIEnv* jni);
  std::string change(bool hooked);

  ClassHooks* hooks_ = nullptr;
  std::vector<jclass> classes_;  // global references, never deleted
  std::string incomplete_;       // why the last change is incomplete
  std::atomic<bool> hooked_{false};
};

}  // namespace ddm
