// The methods that are active on some stack when classes are rewritten. Their frames keep executing
// the old bytecode, without the inserted hooks, until they return, so what they do is not recorded.
// A report names those still active.
//
// Attached threads, one at a time. Unmounted virtual threads are not examined.
#pragma once

#include <jvmti.h>

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ddm {

class RunningMethods {
 public:
  explicit RunningMethods(jvmtiEnv* jvmti);

  // Call around the rewriting of all loaded classes.
  void before_rewriting(JNIEnv* jni);
  void after_rewriting(JNIEnv* jni);

  // "a.B.method", sorted: the methods on the stacks now whose class satisfies `is_one`.
  std::vector<std::string> running_in(JNIEnv* jni, const std::function<bool(jclass)>& is_one) const;

  // "a.B.method", sorted: the methods of which a call that was entered before the latest rewriting
  // still runs. Up to JDK 25 the version of a call that has run on, unchanged, through an earlier
  // rewriting of its class has the jmethodID of the newest one: where that happened, a method that was
  // left and entered again is told, too. From JDK 26 on all versions have, and this may be any method.
  // Not told: a call that has run on through a change of its class other than these rewritings.
  std::vector<std::string> still_running(JNIEnv* jni) const;

 private:
  std::string name_of(JNIEnv* jni, jmethodID method) const;
  std::size_t code_hash(jmethodID method) const;
  jint changes_of_class(JNIEnv* jni, jmethodID method) const;
  void find_old_versions(JNIEnv* jni);

  jvmtiEnv* const jvmti_;
  const bool versions_have_ids_;  // each version of a method has its own jmethodID
  struct Before {
    std::size_t code_hash = 0;
    jint changes_of_class = 0;
  };
  std::map<jmethodID, Before> before_;  // what is on the stacks; only while classes are rewritten
  jfieldID change_count_ = nullptr;     // Class.classRedefinedCount; null: not looked up
  std::set<jmethodID> old_versions_;    // that ran on when classes had been rewritten
  std::set<std::string> old_names_;     // from JDK 26 on: methods whose old bytecode did so
};

}  // namespace ddm
