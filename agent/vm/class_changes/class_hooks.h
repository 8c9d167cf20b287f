// The one way by which the agent changes classes: those that are loaded are retransformed, new ones
// are rewritten as they come, and both become again what they were in the same way.
//
// Whoever wants something of classes is a ClassRewriting. One environment (jvmtiEnv) serves all, so
// that a class goes through the VM once for all that is wanted of it, and its class hook is on only
// while somebody wants something. It is made when it is first needed, so it stands behind the agents
// that came with the program.
//
// Attached threads; no lock is held while classes change, which may run other agents' code.
#pragma once

#include <jvmti.h>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bci/bytes.h"
#include "vm/bound_class.h"
#include "vm/class_changes/class_archive.h"
#include "vm/class_changes/hooked_classes.h"
#include "vm/class_changes/retransformer.h"

namespace ddm {

// A class on its way into the VM.
struct LoadingClass {
  std::string_view internal_name;
  jobject loader;    // null: boot
  bool is_platform;  // of the boot or platform loader
  bool is_new;       // else it is retransformed or redefined, by whomever
};

// Who decides what classes become. Called on any thread, as long as the process lives: the VM may be
// inside at its end.
class ClassRewriting {
 public:
  // Of several that change the same class: each is given what those before it have made.
  enum class Turn { kFirst, kBetween, kLast };

  virtual ~ClassRewriting() = default;

  virtual Turn turn() const { return Turn::kBetween; }
  // Whether new classes are wanted, too: then loading classes is slower meanwhile.
  virtual bool wants_new() const { return true; }
  // `is_platform`: a class of the boot or platform loader.
  virtual bool may_want(std::string_view internal_name, bool is_platform) = 0;
  // Nothing: it stays, or becomes again, as it came.
  virtual std::optional<bci::Bytes> rewrite(JNIEnv* jni, const LoadingClass& loading,
                                            bci::ByteSpan class_file) = 0;
  // A loaded class is to come through rewrite() now.
  virtual bool needs_change(jclass klass, std::string_view internal_name, bool is_platform) = 0;
  // What the VM or memory did not allow.
  virtual void left_out(const std::string& reason) = 0;
  // That class stays as it was: the VM's reason.
  virtual void refused(std::string_view, const std::string& reason) { left_out(reason); }
};

class ClassHooks {
 public:
  // The process's. None: this VM lets no more agents rewrite classes, with the reason in `error`.
  static ClassHooks* of_process(JNIEnv* jni, std::string& error);

  jvmtiEnv* jvmti() const { return jvmti_; }

  // Whether it is true of a loaded class; false if the VM does not tell what that is.
  using IsClass = std::function<bool(std::string_view internal_name, bool is_platform)>;
  bool is_class(JNIEnv* jni, jclass klass, const IsClass& is_it) const;

  // From now on classes go through it, until it is switched off. Both return "" or what went wrong.
  std::string switch_on(ClassRewriting& rewriting);
  std::string switch_off(ClassRewriting& rewriting);
  // What it wants has changed: brings loaded classes up to it. Those that are not linked yet, or are
  // just being defined, follow when they are linked, also after switch_off().
  Retransformer::Totals retransform(JNIEnv* jni, ClassRewriting& rewriting);
  // The same of these alone, whatever they are like.
  void retransform(ClassRewriting& rewriting, std::span<const jclass> these);

  // "" or what went wrong; once is enough.
  std::string define(JNIEnv* jni, BoundClass& own);

 private:
  // The rewritings that are on, in the order of their turns.
  using Rewritings = std::vector<ClassRewriting*>;
  class HookOn;

  explicit ClassHooks(jvmtiEnv* jvmti);
  static ClassHooks* create(JNIEnv* jni, std::string& error);

  static void JNICALL ClassFileLoadHook(jvmtiEnv*, JNIEnv*, jclass, jobject, const char*, jobject,
                                        jint, const unsigned char*, jint*, unsigned char**);
  static void JNICALL ClassPrepare(jvmtiEnv*, JNIEnv*, jthread, jclass);

  static ClassHooks* of(jvmtiEnv* jvmti);
  std::shared_ptr<const Rewritings> rewritings() const;
  Retransformer retransformer(Rewritings of) const;
  std::optional<bci::Bytes> comes(JNIEnv* jni, const LoadingClass& loading, bci::ByteSpan file);
  // Of the boot or platform loader.
  bool is_platform_loader(JNIEnv* jni, jobject loader) const;
  void linked(JNIEnv* jni, jclass klass);
  void change(bool on, ClassRewriting& rewriting);
  std::string set_events();
  std::string set_event(jvmtiEvent event, bool on);

  jvmtiEnv* const jvmti_;
  HookedClasses hooked_;
  const ArchivedCalls archived_calls_;
  jobject platform_loader_ = nullptr;  // a global reference

  mutable std::mutex mutex_;  // of all below
  std::shared_ptr<const Rewritings> rewritings_ = std::make_shared<Rewritings>();
  int at_work_ = 0;  // threads that retransform, or define a class of our own
};

}  // namespace ddm
