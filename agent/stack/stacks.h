// Stack walking for all features: the walker in use, the names of classes and methods, and when
// they may be dropped. One per process, created when the VM is live; never destroyed.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "core/reclamation.h"
#include "core/result.h"
#include "stack/jvmti_stack_capture.h"
#include "stack/names/name_table.h"
#include "stack/rewritten_methods.h"
#include "stack/seen_methods.h"
#include "stack/stack_naming.h"
#include "stack/vm_stack_capture.h"
#include "stack/walker.h"
#include "vm/memory/heap_pauses.h"
#include "vm/method_pointers.h"

namespace ddm {

class Stacks {
 public:
  // `current`: the calling thread, which is attached; null: unknown.
  Stacks(jvmtiEnv* jvmti, JNIEnv* jni, jobject current);
  jvmtiEnv* jvmti() const { return jvmti_; }

  // Selects the walker for later calls. An unavailable one is logged.
  void use(WalkerKind wanted);
  // Any thread, lock-free.
  StackCapture& chosen() const { return *chosen_; }
  // The same, ready to walk; the first call starts to watch GC pauses. Attached threads.
  StackCapture& ready(JNIEnv* jni);
  // Null before that, and where objects may move and classes be unloaded at any time.
  const HeapPauses* pauses() const { return pauses_; }

  // For features that take stacks themselves. Attached threads.
  StackNaming naming(JNIEnv* jni);

  // Runs sweeps of the name tables in `background` when they have doubled; without it names are
  // never dropped.
  using Background = std::function<void(std::function<void(JNIEnv*)>)>;
  void sweep_names_in(const Background& background);
  // `user` must live as long as this object.
  void add_user(NamesUser& user);

  NameTable& names() { return names_; }
  SeenMethods& methods() { return methods_; }
  RewrittenMethods& rewritten() { return rewritten_; }
  Reclamation& reclamation() { return reclamation_; }

 private:
  // Lock held in both.
  StackCapture& choose();
  void watch_pauses(JNIEnv* jni);
  void sweep_names(JNIEnv* jni);

  jvmtiEnv* const jvmti_;
  NameTable names_;
  RewrittenMethods rewritten_;
  Reclamation reclamation_;
  const MethodPointers pointers_;
  SeenMethods methods_;
  JvmtiStackCapture jvmti_stacks_;
  const Result<std::unique_ptr<VmStackCapture>> vm_stacks_;

  std::mutex mutex_;  // guards what follows
  WalkerKind wanted_ = WalkerKind::kAuto;
  std::atomic<StackCapture*> chosen_;
  bool pauses_watched_ = false;
  const HeapPauses* pauses_ = nullptr;

  // Serializes sweeps, guards the list of users; taken before any lock of theirs.
  std::mutex sweeping_;
  std::vector<NamesUser*> users_;
};

}  // namespace ddm
