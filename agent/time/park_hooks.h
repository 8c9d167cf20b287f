// Calls into the agent before and after a thread parks: in LockSupport, where the locks of
// java.util.concurrent wait, and in VirtualThread, where one that cannot leave its carrier does.
//
// The two classes are rewritten when it is switched on, and put back when it is switched off: class
// loading is not made slower meanwhile. A thread that was parked already is not told of.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <string>
#include <vector>

#include "vm/class_changes/class_hooks.h"

namespace ddm {

// Who is told, on the thread that parks.
class ParkListener {
 public:
  virtual ~ParkListener() = default;
  virtual void parking(JNIEnv* jni, bool pinned) noexcept = 0;
  virtual void parked(JNIEnv* jni, bool pinned) noexcept = 0;
};

class ParkHooks final : private ClassRewriting {
 public:
  // Attached threads, one at a time; both return "" or what went wrong. `listener` lives as long
  // as the process.
  std::string start(JNIEnv* jni, ParkListener& listener);
  std::string stop();

 private:
  bool wants_new() const override { return false; }
  bool may_want(std::string_view internal_name, bool is_platform) override;
  std::optional<bci::Bytes> rewrite(JNIEnv* jni, const LoadingClass& loading,
                                    bci::ByteSpan class_file) override;
  bool needs_change(jclass klass, std::string_view internal_name, bool is_platform) override;
  void left_out(const std::string& reason) override;

  std::string prepare(JNIEnv* jni);
  std::string change(bool hooked);

  ClassHooks* hooks_ = nullptr;
  std::vector<jclass> classes_;  // global references, never given back
  std::string left_out_;         // why, of the last change
  std::atomic<bool> hooked_{false};
};

}  // namespace ddm
