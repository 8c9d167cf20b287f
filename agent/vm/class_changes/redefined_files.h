// The class files that other agents have given loaded classes by redefining them.
//
// Until 19 the VM keeps the class file from before the first change by any retransforming agent, and
// every later retransformation starts from that, also after a redefinition (JDK-7124710). With these
// files a change by this agent, or its end, does not undo the redefinition.
//
// Any attached thread, inside ClassFileLoadHook.
#pragma once

#include <jvmti.h>

#include <cstddef>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "bci/bytes.h"
#include "vm/class_changes/hooked_classes.h"

namespace ddm {

class RedefinedFiles {
 public:
  RedefinedFiles(jvmtiEnv* jvmti, JNIEnv* jni);

  // Whether this VM forgets redefinitions.
  bool needed() const { return count_ != nullptr; }

  // Another agent gives the class this file, unless the VM refuses it after the hook.
  void redefining(JNIEnv* jni, jclass klass, HookedClasses::Key key, bci::ByteSpan file);

  // What this agent's retransformation has to start from; nullopt: the file that the VM passes.
  std::optional<bci::Bytes> current(JNIEnv* jni, jclass klass, HookedClasses::Key key);

 private:
  struct Files {
    std::optional<bci::Bytes> now;
    std::optional<bci::Bytes> next;  // given at `count`, effective once that has grown
    jint count = 0;
  };

  // Lock held.
  Files& settled(HookedClasses::Key key, jint count);
  void drop(std::optional<bci::Bytes>& file);

  jfieldID count_ = nullptr;  // Class.classRedefinedCount, which the VM increments
  std::mutex mutex_;
  std::unordered_map<HookedClasses::Key, Files> files_;
  std::size_t bytes_ = 0;
  bool full_ = false;
};

}  // namespace ddm
