// The methods that threads are inside of when classes are rewritten. Their frames go on with the
// code as it was, without what was put in, until they return, and what they do meanwhile is not
// seen. A report names those that are still there.
//
// Attached threads, one at a time. Virtual threads that no carrier runs are not looked at.
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

  // Around the rewriting of all loaded classes.
  void before_rewriting(JNIEnv* jni);
  void after_rewriting(JNIEnv* jni);

  // "a.B.method", in order: those on the stacks now whose class is one of these.
  std::vector<std::string> running_in(JNIEnv* jni, const std::function<bool(jclass)>& is_one) const;

  // "a.B.method", in order: entered before the rewriting and, as far as stacks tell, not left
  // since.
  std::vector<std::string> still_running(JNIEnv* jni) const;

 private:
  std::string name_of(JNIEnv* jni, jmethodID method) const;
  std::size_t code_hash(jmethodID method) const;

  jvmtiEnv* const jvmti_;
  std::map<jmethodID, std::size_t>
      before_;                 // hash of the bytecode; only while classes are rewritten
  std::set<std::string> old_;  // names of methods whose old code is on some stack
};

}  // namespace ddm
