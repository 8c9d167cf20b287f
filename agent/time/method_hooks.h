// Hooks at the entry, the returns and the exceptional exit of wanted methods, put into loaded
// classes by retransforming them and taken out in the same way: what is left is the code as it was.
//
// An environment of its own (jvmtiEnv), so that its class hook is on only while methods are traced,
// whatever engine tracks allocations. put_in() and take_out() on one attached thread at a time; the
// JVMTI events come on any.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "bci/rewrite.h"
#include "jvm/hooked_classes.h"
#include "jvm/retransformer.h"
#include "time/calls/method_filter.h"
#include "time/calls/method_numbers.h"
#include "time/calls_class.h"

namespace ddm {

class MethodHooks {
 public:
  // None: this VM lets no more agents rewrite classes, with the reason in `error`.
  static std::unique_ptr<MethodHooks> create(JNIEnv* jni, MethodNumbers& numbers,
                                             CallRecorder& recorder, std::string& error);

  // "" or what went wrong. When it returns, hooks are in all loaded classes that are wanted.
  std::string put_in(JNIEnv* jni, MethodFilter filter);
  // When it returns, no loaded class has hooks; methods that run end with those they began with.
  std::string take_out(JNIEnv* jni);

  struct Counters {
    int classes = 0;                               // rewritten
    std::map<std::string, std::int64_t> skipped;  // methods and classes left out, by reason
  };
  Counters counters() const;

 private:
  MethodHooks(jvmtiEnv* jvmti, MethodNumbers& numbers, CallRecorder& recorder);

  static void JNICALL ClassFileLoadHook(jvmtiEnv*, JNIEnv*, jclass, jobject, const char*, jobject,
                                        jint, const unsigned char*, jint*, unsigned char**);
  static void JNICALL ClassPrepare(jvmtiEnv*, JNIEnv*, jthread, jclass);

  std::optional<bci::Bytes> rewrite(const MethodFilter& filter, bci::ByteSpan class_file,
                                    bool of_system);
  bool is_of_system(JNIEnv* jni, jobject loader) const;
  bool needs_change(JNIEnv* jni, jclass klass) const;
  bool has_hooks(jclass klass) const;
  std::string set_events(jvmtiEventMode mode);
  void count(const std::string& reason);

  jvmtiEnv* const jvmti_;
  MethodNumbers& numbers_;
  CallsClass calls_class_;
  Retransformer retransformer_;
  HookedClasses hooked_;
  jobject platform_loader_ = nullptr;  // a global reference

  mutable std::mutex mutex_;
  std::shared_ptr<const MethodFilter> filter_;  // null: hooks are not wanted
  Counters counters_;
};

}  // namespace ddm
