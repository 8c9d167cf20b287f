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
  explicit RunningMethods(jvmtiEnv* jvmti) : jvmti_(jvmti) {}

  // Call around the rewriting of all loaded classes.
  void before_rewriting(JNIEnv* jni);
  void after_rewriting(JNIEnv* jni);

  // "a.B.method", sorted: the methods on the stacks now whose class satisfies `is_one`.
  std::vector<std::string> running_in(JNIEnv* jni, const std::function<bool(jclass)>& is_one) const;

  // "a.B.method", sorted: the methods entered before the rewriting and, as far as the stacks show,
  // not left since.
  std::vector<std::string> still_running(JNIEnv* jni) const;

 private:
  std::string name_of(JNIEnv* jni, jmethodID method) const;
  std::size_t code_hash(jmethodID method) const;

  jvmtiEnv* const jvmti_;
  std::map<jmethodID, std::size_t> before_;  // hashes of bytecode; only while classes are rewritten
  std::set<std::string> old_;                // names of methods whose old bytecode is on some stack
};

}  // namespace ddm
