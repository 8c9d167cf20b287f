// Brings loaded classes through ClassFileLoadHook, in batches, so that no pause is long.
//
// A batch fails as a whole when one class of it fails (JVMTI RetransformClasses): it is halved
// until the culprit stands alone. Classes that wait for their turn are held weakly: a program that
// loads and drops them faster than they are changed can get rid of them meanwhile. Classes that are
// loaded but not linked yet are left alone (JDK-8277444: taking their bytes races with linking on
// 17), and those that are just being defined are not listed: linked_without_hook() brings them
// through once they are linked.
#pragma once

#include <jvmti.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ddm {

class Retransformer {
 public:
  // Told the VM's reason and the signature of the class that stays as it was; "" if it is all.
  using Failed = std::function<void(const std::string& reason, std::string_view signature)>;
  // `needs` decides from a linked class whether it is worth it.
  Retransformer(jvmtiEnv* jvmti, std::function<bool(JNIEnv*, jclass)> needs, Failed failed);

  struct Totals {
    int loaded = 0;
    int retransformed = 0;
    int unlinked = 0;
    double longest_batch_ms = 0;
  };
  // Every loaded class. New classes go through the hook by themselves: enable it before.
  Totals all_loaded(JNIEnv* jni);

  // These, whatever they are like.
  void these(std::span<const jclass> classes);

  // The ClassPrepare event of a class that did not come through the hook by itself, on the thread
  // that links it, before any code of it runs.
  void linked_without_hook(JNIEnv* jni, jclass klass);
  // The same of a class that is to go through the hook once more, whatever it is like.
  void again(jclass klass);

 private:
  class Waiting;
  void find_wanted(JNIEnv* jni, Waiting& wanted, Totals& totals) const;
  int retransform_waiting(JNIEnv* jni, std::span<const jweak> classes);
  bool can_change(jclass klass, jint& status) const;
  void count(std::span<const jclass> classes) const;

  jvmtiEnv* const jvmti_;
  const std::function<bool(JNIEnv*, jclass)> needs_;
  const Failed failed_;
};

}  // namespace ddm
