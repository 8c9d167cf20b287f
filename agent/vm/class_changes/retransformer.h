// Passes loaded classes through ClassFileLoadHook in batches, so that no safepoint is long.
//
// RetransformClasses fails for a whole batch if one class of it fails: the batch is halved until
// that class is found. Queued classes are held by weak global references and may be unloaded
// meanwhile. Classes that are loaded but not linked are skipped (JDK-8277444: on 17 reading their
// bytes races with linking), and classes that are being defined are not listed by JVMTI:
// linked() handles both once they are linked. An object is for one pass over the classes.
#pragma once

#include <jvmti.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

namespace ddm {

class Retransformer {
 public:
  // Receives the VM's reason and the signature of the class that stays unchanged; "": all classes.
  using Failed = std::function<void(const std::string& reason, std::string_view signature)>;
  // `needs` decides for a linked class whether it is retransformed.
  Retransformer(jvmtiEnv* jvmti, std::function<bool(JNIEnv*, jclass)> needs, Failed failed);

  struct Totals {
    int loaded = 0;
    int retransformed = 0;
    int unlinked = 0;
    double longest_batch_ms = 0;
  };
  // All loaded classes. New classes pass through the hook anyway, so it must be enabled before.
  Totals all_loaded(JNIEnv* jni);

  // Whether the calling thread is retransforming: it is inside the hook on behalf of this agent.
  static bool on_this_thread();

  // These classes, without asking `needs`.
  void these(std::span<const jclass> classes);

  // Call in ClassPrepare for a class that did not pass through the hook, on the linking thread,
  // before any code of the class runs. `again`: it has, and has to once more, without asking `needs`.
  void linked(JNIEnv* jni, jclass klass, bool again);

 private:
  class Waiting;
  void find_wanted(JNIEnv* jni, Waiting& wanted, Totals& totals) const;
  jvmtiError retransform(std::span<const jclass> classes) const;
  // False: none of them was changed; of a single class the reason has been told.
  bool change(std::span<const jclass> classes) const;
  int retransform_waiting(JNIEnv* jni, std::span<const jweak> classes);
  bool can_change(jclass klass, jint& status) const;
  void count(std::span<const jclass> classes);

  jvmtiEnv* const jvmti_;
  const std::function<bool(JNIEnv*, jclass)> needs_;
  const Failed failed_;
  std::unordered_set<std::string> counted_;  // internal names
};

}  // namespace ddm
