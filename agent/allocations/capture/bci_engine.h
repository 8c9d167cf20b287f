// engine=bci: hooks in rewritten bytecode that call java.lang.DdmTracker.
//
// Until the first start no class is touched and no class hook is on, so that CDS and the AOT cache
// stay in use. The first start rewrites what is loaded and, through ClassFileLoadHook, what comes
// later; after that start and stop only swap the Tracker's bodies.
#pragma once

#include <jvmti.h>

#include <atomic>

#include "allocations/capture/backtrace.h"
#include "allocations/capture/class_rewriter.h"
#include "allocations/capture/clone_resolution.h"
#include "allocations/capture/engine.h"
#include "allocations/capture/recorder.h"
#include "allocations/capture/tracker_class.h"
#include "vm/class_changes/class_archive.h"
#include "vm/class_changes/hooked_classes.h"
#include "vm/class_changes/retransformer.h"
#include "vm/class_changes/running_methods.h"
#include "vm/vm_events.h"

namespace ddm {

class BciEngine final : public Engine, private VmListener {
 public:
  BciEngine(jvmtiEnv* jvmti, Recorder& recorder, RewrittenMethods& rewritten);

  const char* name() const override { return "bci"; }
  std::string prepare(JNIEnv* jni) override;
  std::string start(JNIEnv* jni) override;
  std::string stop(JNIEnv* jni) override;
  EngineCounters counters(JNIEnv* jni) const override;

  // The Tracker's natives (java/tracker), on the allocating thread.
  void object(JNIEnv* jni, jobject made) noexcept;
  void made(JNIEnv* jni, jobject made) noexcept;
  void arrays(JNIEnv* jni, jobject made, jint dimensions) noexcept;
  void new_array(JNIEnv* jni, jobject made) noexcept;
  void nested(JNIEnv* jni, jobject made) noexcept;
  void cloned(JNIEnv* jni, jobject made) noexcept;
  void super_cloned(JNIEnv* jni, jobject made) noexcept;
  void backtraced(JNIEnv* jni, jobject throwable) noexcept;

 private:
  void class_file_load_hook(jclass being_redefined, jobject loader, const char* name, jint length,
                            const unsigned char* bytes, jint* new_length,
                            unsigned char** new_bytes) override;
  void class_prepare(JNIEnv* jni, jclass klass) override;

  std::string enable(jvmtiEvent event);
  bool needs_hooks(JNIEnv* jni, jclass klass) const;

  jvmtiEnv* const jvmti_;
  Recorder& recorder_;
  ClassRewriter rewriter_;
  Retransformer retransformer_;
  HookedClasses hooked_;
  const ArchivedCalls archived_calls_;
  TrackerClass tracker_;
  CloneResolution clones_;
  Backtrace backtrace_;
  RunningMethods running_;
  bool rewritten_ = false;
  std::atomic<bool> hooks_wanted_{false};
};

}  // namespace ddm
