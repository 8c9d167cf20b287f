// The classes that have passed ClassFileLoadHook and are not linked yet, by name and loader: any
// other class that is being linked was parsed without the hook, before it was switched on, however
// long its definition took since (its superclass may come over a network). Any attached thread.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <mutex>
#include <string_view>
#include <unordered_set>

namespace ddm {

class HookedClasses {
 public:
  explicit HookedClasses(jvmtiEnv* jvmti) : jvmti_(jvmti) {}

  // In the hook, for a class that is new.
  void add(std::string_view internal_name, jobject loader);

  // The class is linked. False: it is not known here, which is certain of one that was not added.
  bool take(JNIEnv* jni, jclass klass);

 private:
  std::uint64_t key_of(std::string_view internal_name, jobject loader) const;

  jvmtiEnv* const jvmti_;
  std::mutex mutex_;
  std::unordered_set<std::uint64_t> keys_;
};

}  // namespace ddm
