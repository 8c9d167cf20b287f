// Hooks at entry, returns and exceptional exit of the wanted methods while they are traced. In
// classes retransformed so often that C2 is about to give up their callers (class_changes) the
// hooks stay after tracing, inactive, and are reused by the next tracing of the same methods.
//
// install() and remove() on one attached thread at a time; JVMTI events on any thread.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "bci/skipped_code.h"
#include "time/call_recorder.h"
#include "time/calls/method_filter.h"
#include "time/calls/method_numbers.h"
#include "vm/class_changes/class_hooks.h"

namespace ddm {

class MethodHooks final : public ClassRewriting {
 public:
  // Null: this VM allows no further retransforming agent; `error` says why.
  static std::unique_ptr<MethodHooks> create(JNIEnv* jni, MethodNumbers& numbers,
                                             CallRecorder& recorder, std::string& error);

  // On return all loaded wanted classes have hooks. "" or the error.
  std::string install(JNIEnv* jni, MethodFilter filter);
  // On return no loaded class has hooks, unless they stay; active frames keep the bytecode that
  // they began with.
  std::string remove(JNIEnv* jni);

  // Methods and classes that could not be rewritten, counted by reason.
  std::map<std::string, std::int64_t> skipped() const;

 private:
  MethodHooks(MethodNumbers& numbers, CallRecorder& recorder, ClassHooks& hooks);

  bool may_want(std::string_view internal_name, bool is_platform) override;
  std::optional<bci::Bytes> rewrite(JNIEnv*, const LoadingClass& loading,
                                    bci::ByteSpan class_file) override;
  bool needs_change(jclass klass, std::string_view internal_name, bool is_platform) override;
  void incomplete(const std::string& reason) override;
  bool has_wanted_method(jclass klass, std::string_view internal_name, bool is_platform) const;
  std::shared_ptr<const MethodFilter> filter() const;
  void without_number(std::string_view internal_name);

  MethodNumbers& numbers_;
  BoundClass calls_class_;
  ClassHooks& hooks_;

  mutable std::mutex mutex_;
  std::shared_ptr<const MethodFilter> filter_;  // null: no hooks are wanted
  std::shared_ptr<const MethodFilter> stayed_;  // the filter of the hooks that stayed, or null
  // filter_ is what stayed: hooked classes are not retransformed. Set by install() and remove().
  std::atomic<bool> adopted_{false};
  bool changed_often_ = false;  // of a class that has hooks
  bci::SkippedCode skipped_;
  std::int64_t without_number_ = 0;  // methods, beyond MethodNumbers::kMost
};

}  // namespace ddm
