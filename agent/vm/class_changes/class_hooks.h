// The only way by which the agent changes classes: loaded classes are retransformed, new ones are
// rewritten while they are loaded, and both are restored in the same way.
//
// A feature that changes classes implements ClassRewriting. All share one jvmtiEnv, so a class is
// retransformed once for all rewritings, and ClassFileLoadHook is enabled only while a rewriting is
// on. The environment is created at first use, so its hook runs after those of agents on the
// command line.
//
// Attached threads; no lock is held while classes change, since that may run other agents' code.
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
#include "vm/class_changes/redefined_files.h"
#include "vm/class_changes/retransformer.h"

namespace ddm {

// A class inside ClassFileLoadHook.
struct LoadingClass {
  std::string_view internal_name;
  jobject loader;    // null: boot
  bool is_platform;  // defined by the boot or platform loader
  bool is_new;       // false: it is being retransformed or redefined, by any agent
};

// A change that is wanted of loaded classes. Called on any thread, and never destroyed: VM threads
// may be inside it at exit.
class ClassChange {
 public:
  virtual ~ClassChange() = default;

  // Whether a loaded class has to pass through the hook now. `is_platform`: defined by the boot or
  // platform loader.
  virtual bool needs_change(jclass klass, std::string_view internal_name, bool is_platform) = 0;
  // Reports what the VM or a lack of memory prevented.
  virtual void incomplete(const std::string& reason) = 0;
  // The VM refused to change this class, for this reason.
  virtual void refused(std::string_view, const std::string& reason) { incomplete(reason); }
};

// Decides what classes become.
class ClassRewriting : public ClassChange {
 public:
  // Order among rewritings of the same class: each receives the output of the previous ones.
  enum class Order { kFirst, kBetween, kLast };

  virtual Order order() const { return Order::kBetween; }
  // Whether new classes are rewritten, too; this keeps the hook enabled and slows down class
  // loading.
  virtual bool wants_new() const { return true; }
  virtual bool may_want(std::string_view internal_name, bool is_platform) = 0;
  // nullopt: the class keeps, or gets back, the given bytes.
  virtual std::optional<bci::Bytes> rewrite(JNIEnv* jni, const LoadingClass& loading,
                                            bci::ByteSpan class_file) = 0;
};

class ClassHooks {
 public:
  // The instance of the process. Null: this VM allows no further retransforming agent; `error` says
  // why.
  static ClassHooks* of_process(JNIEnv* jni, std::string& error);

  jvmtiEnv* jvmti() const { return jvmti_; }

  // Evaluates `is_it` for a loaded class; false if the VM does not give its name or loader.
  using IsClass = std::function<bool(std::string_view internal_name, bool is_platform)>;
  bool is_class(JNIEnv* jni, jclass klass, const IsClass& is_it) const;

  // Adds or removes the rewriting. Both return "" or the error.
  std::string switch_on(ClassRewriting& rewriting);
  std::string switch_off(ClassRewriting& rewriting);
  // Brings all loaded classes up to date with a changed request, or those that `needs` selects.
  // Classes that are not linked yet or are being defined follow when they are linked, also after
  // switch_off().
  using Needs = std::function<bool(jclass, std::string_view internal_name, bool is_platform)>;
  Retransformer::Totals retransform(JNIEnv* jni, ClassChange& change, Needs needs = nullptr);
  // Retransforms just these classes, without asking needs_change().
  void retransform(ClassChange& change, std::span<const jclass> these);
  // Calls `visit` for each loaded class that could be changed now; its result is not used.
  void for_each_changeable(JNIEnv* jni, const IsClass& visit) const;

  // Returns "" or the error; a repeated call does nothing.
  std::string define(JNIEnv* jni, BoundClass& own);

 private:
  // The active rewritings, ordered by order().
  using Rewritings = std::vector<ClassRewriting*>;
  class HookOn;

  ClassHooks(jvmtiEnv* jvmti, JNIEnv* jni);
  static ClassHooks* create(JNIEnv* jni, std::string& error);

  static void JNICALL ClassFileLoadHook(jvmtiEnv*, JNIEnv*, jclass, jobject, const char*, jobject,
                                        jint, const unsigned char*, jint*, unsigned char**);
  static void JNICALL ClassPrepare(jvmtiEnv*, JNIEnv*, jthread, jclass);

  std::shared_ptr<const Rewritings> rewritings() const;
  Retransformer retransformer(std::vector<ClassChange*> of, Needs needs = nullptr) const;
  std::optional<bci::Bytes> rewrite(JNIEnv* jni, const LoadingClass& loading, bci::ByteSpan file);
  // The file from which the change of a loaded class has to start, if not from this one.
  std::optional<bci::Bytes> redefined_file(JNIEnv* jni, jclass klass, std::string_view name,
                                           jobject loader, bci::ByteSpan file);
  // Whether it is the boot or the platform loader.
  bool is_platform_loader(JNIEnv* jni, jobject loader) const;
  void linked(JNIEnv* jni, jclass klass);
  void change(bool on, ClassRewriting& rewriting);
  std::string set_events();
  std::string set_event(jvmtiEvent event, bool on);

  jvmtiEnv* const jvmti_;
  HookedClasses hooked_;
  RedefinedFiles redefined_;
  const ArchivedCalls archived_calls_;
  jobject platform_loader_ = nullptr;  // a global reference

  mutable std::mutex mutex_;  // guards all below
  std::shared_ptr<const Rewritings> rewritings_ = std::make_shared<Rewritings>();
  bool stays_ = false;  // the hook stays enabled
  int at_work_ = 0;     // threads that are retransforming, or defining a class of the agent
};

}  // namespace ddm
