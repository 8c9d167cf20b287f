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
  // still runs. Not told: a call that had run on, unchanged, through an earlier change of its class,
  // since its version has the jmethodID of the newest. From JDK 26 on all versions have: that call is
  // told, and so are methods that were left and entered again.
  std::vector<std::string> still_running(JNIEnv* jni) const;

 private:
  std::string name_of(JNIEnv* jni, jmethodID method) const;
  std::size_t code_hash(jmethodID method) const;

  jvmtiEnv* const jvmti_;
  const bool versions_have_ids_;  // each version of a method has its own jmethodID
  // Of versions that ran on when classes had been rewritten: no later call has them.
  std::set<jmethodID> old_versions_;
  // Otherwise:
  std::map<jmethodID, std::size_t> before_;  // hashes of bytecode; only while classes are rewritten
  std::set<std::string> old_names_;          // methods whose old bytecode was on some stack then
};

}  // namespace ddm
