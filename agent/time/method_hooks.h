// Hooks at the entry, the returns and the exceptional exit of wanted methods, while methods are traced.
// In classes that have been changed so often that C2 is about to give up their callers (class_changes)
// they stay when tracing ends, and tell nobody; whoever wants the same methods again finds them there.
//
// put_in() and take_out() on one attached thread at a time; the JVMTI events come on any.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "bci/rewrite.h"
#include "time/calls/method_filter.h"
#include "time/calls/method_numbers.h"
#include "time/calls_class.h"
#include "vm/class_changes/class_hooks.h"

namespace ddm {

class MethodHooks final : public ClassRewriting {
 public:
  // None: this VM lets no more agents rewrite classes, with the reason in `error`.
  static std::unique_ptr<MethodHooks> create(JNIEnv* jni, MethodNumbers& numbers,
                                             CallRecorder& recorder, std::string& error);

  // "" or what went wrong. When it returns, hooks are in all loaded classes that are wanted.
  std::string put_in(JNIEnv* jni, MethodFilter filter);
  // When it returns, no loaded class has hooks, unless they stay; methods that run end with those they
  // began with.
  std::string take_out(JNIEnv* jni);

  // Methods and classes that could not be rewritten, by reason.
  std::map<std::string, std::int64_t> skipped() const;

 private:
  MethodHooks(MethodNumbers& numbers, CallRecorder& recorder, ClassHooks& hooks)
      : numbers_(numbers), calls_class_(calls_class(recorder)), hooks_(hooks) {}

  bool may_want(std::string_view internal_name, bool is_platform) override;
  std::optional<bci::Bytes> rewrite(JNIEnv*, const LoadingClass& loading,
                                    bci::ByteSpan class_file) override;
  bool needs_change(jclass klass, std::string_view internal_name, bool is_platform) override;
  void left_out(const std::string& reason) override;
  bool has_wanted_method(jclass klass, std::string_view internal_name, bool is_platform) const;
  std::shared_ptr<const MethodFilter> filter() const;
  bool adopt_what_stayed(const MethodFilter& filter);
  bool leave_in();

  MethodNumbers& numbers_;
  BoundClass calls_class_;
  ClassHooks& hooks_;

  mutable std::mutex mutex_;
  std::shared_ptr<const MethodFilter> filter_;  // null: hooks are not wanted
  std::shared_ptr<const MethodFilter> stayed_;  // what the hooks that were left in are for; or null
  // filter_ is what stayed: classes that have hooks keep them. Set by who switches.
  std::atomic<bool> adopted_{false};
  bool changed_often_ = false;  // a class that has hooks
  std::map<std::string, std::int64_t> skipped_;
};

}  // namespace ddm
