// engine=bci: hooks in rewritten bytecode that call java.lang.DdmTracker.
//
// Before the first start no class is changed and no class hook is enabled, so CDS and the AOT cache
// stay in use. The first start rewrites loaded classes and, through ClassFileLoadHook, those loaded
// later; after that start and stop only redefine the Tracker.
#pragma once

#include <jvmti.h>

#include "allocations/capture/backtrace.h"
#include "allocations/capture/class_rewriter.h"
#include "allocations/capture/engine.h"
#include "allocations/capture/recorder.h"
#include "allocations/capture/tracker_class.h"
#include "vm/class_changes/class_hooks.h"
#include "vm/class_changes/running_methods.h"

namespace ddm {

class BciEngine final : public Engine, private ClassRewriting {
 public:
  BciEngine(jvmtiEnv* jvmti, Recorder& recorder, RewrittenMethods& rewritten);

  const char* name() const override { return "bci"; }
  std::string prepare(JNIEnv* jni) override;
  std::string start(JNIEnv*) override { return tracker_.swap(true); }
  std::string stop(JNIEnv*) override { return tracker_.swap(false); }
  EngineCounters counters(JNIEnv* jni) const override;

  // Called by the Tracker's natives (java/tracker), on the allocating thread.
  void object(JNIEnv* jni, jobject made) noexcept {
    recorder_.record(jni, made, TopFrames::kConstructors);
  }
  void made(JNIEnv* jni, jobject made) noexcept {
    recorder_.record(jni, made, TopFrames::kTracker);
  }
  void arrays(JNIEnv* jni, jobject made, jint dimensions) noexcept;
  void new_array(JNIEnv* jni, jobject made) noexcept;
  void nested(JNIEnv* jni, jobject made) noexcept;
  void cloned(JNIEnv* jni, jobject made) noexcept;
  void super_cloned(JNIEnv* jni, jobject made) noexcept;
  void backtraced(JNIEnv* jni, jobject throwable) noexcept;
  void thread_made(JNIEnv* jni, jobject thread) noexcept { recorder_.thread_made(jni, thread); }
  void constructed(JNIEnv* jni, jobject made) noexcept {
    recorder_.listener().constructed(jni, made);
  }

  // Adds the hooks that call constructed() where objects are complete; the next prepare(), which must
  // follow, rewrites the classes.
  void enable_constructed_hooks();

 private:
  // Bytecode indices of hooks refer to the class file without other rewritings.
  Order order() const override { return Order::kFirst; }
  bool may_want(std::string_view internal_name, bool is_platform) override;
  std::optional<bci::Bytes> rewrite(JNIEnv* jni, const LoadingClass& loading,
                                    bci::ByteSpan class_file) override;
  bool needs_change(jclass klass, std::string_view internal_name, bool is_platform) override;
  void incomplete(const std::string& reason) override { rewriter_.refused(reason); }

  jvmtiEnv* const jvmti_;
  Recorder& recorder_;
  ClassRewriter rewriter_;
  TrackerClass tracker_;
  Backtrace backtrace_;
  RunningMethods running_;
  bool rewritten_ = false;
};

}  // namespace ddm
