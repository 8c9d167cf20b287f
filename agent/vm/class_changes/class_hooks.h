// Rewrites classes while somebody wants it: those that are loaded by retransforming them, new ones as
// they come, and back again in the same way: what is left is the code as it was.
//
// An environment of its own (jvmtiEnv), so that its class hook is on only meanwhile, whatever else
// rewrites classes. Switching and retransforming on one attached thread at a time; the JVMTI events
// come on any.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bci/bytes.h"
#include "vm/class_changes/class_archive.h"
#include "vm/class_changes/hooked_classes.h"
#include "vm/class_changes/retransformer.h"

namespace ddm {

// A class on its way into the VM.
struct ComingClass {
  std::string_view internal_name;
  jobject loader;  // null: boot
  bool of_system;  // of the boot or platform loader
};

// Who decides what classes become. Called on any thread.
class ClassRewriting {
 public:
  virtual ~ClassRewriting() = default;

  // `of_system`: a class of the boot or platform loader.
  virtual bool may_want(std::string_view internal_name, bool of_system) = 0;
  // Nothing: it stays, or becomes again, as its author compiled it.
  virtual std::optional<bci::Bytes> rewrite(JNIEnv* jni, const ComingClass& coming,
                                            bci::ByteSpan class_file) = 0;
  // A loaded class is to come through rewrite() now.
  virtual bool needs_change(jclass klass, std::string_view internal_name, bool of_system) = 0;
  // What the VM or memory did not allow.
  virtual void left_out(const std::string& reason) = 0;
  // That class stays as it was: the VM's reason.
  virtual void refused(std::string_view, const std::string& reason) { left_out(reason); }
  // The ClassPrepare event of any class.
  virtual void prepared(JNIEnv*, jclass) {}
};

class ClassHooks {
 public:
  // None: this VM lets no more agents rewrite classes, with the reason in `error`. Lives as long as
  // the process: the VM may be inside at its end.
  static std::unique_ptr<ClassHooks> create(JNIEnv* jni, ClassRewriting& rewriting,
                                            std::string& error);

  jvmtiEnv* jvmti() const { return jvmti_; }
  // Of the boot or platform loader.
  bool is_of_system(JNIEnv* jni, jobject loader) const;

  // From now on new classes are rewritten, too. Both return "" or what went wrong.
  std::string switch_on();
  std::string switch_off();
  // What is wanted has changed: brings loaded classes up to it. Those that are not linked yet, or are
  // just being defined, follow when they are linked, also after switch_off().
  Retransformer::Totals retransform(JNIEnv* jni);

 private:
  ClassHooks(jvmtiEnv* jvmti, ClassRewriting& rewriting);

  static void JNICALL ClassFileLoadHook(jvmtiEnv*, JNIEnv*, jclass, jobject, const char*, jobject,
                                        jint, const unsigned char*, jint*, unsigned char**);
  static void JNICALL ClassPrepare(jvmtiEnv*, JNIEnv*, jthread, jclass);

  static ClassHooks* of(jvmtiEnv* jvmti);
  bool needs_change(JNIEnv* jni, jclass klass) const;
  void linked(JNIEnv* jni, jclass klass);
  std::string set_event(jvmtiEvent event, bool on);

  jvmtiEnv* const jvmti_;
  ClassRewriting& rewriting_;
  Retransformer retransformer_;
  HookedClasses hooked_;
  const ArchivedCalls archived_calls_;
  std::atomic<bool> on_{false};
  jobject platform_loader_ = nullptr;  // a global reference
};

}  // namespace ddm
