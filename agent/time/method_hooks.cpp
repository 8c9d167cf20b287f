#include "time/method_hooks.h"

#include <string_view>

#include "jvm/jvmti_memory.h"
#include "log.h"

namespace ddm {
namespace {

bci::HookMethod hook(const char* name) { return {kCallsClass, name, "(II)V"}; }

// Code that runs while a virtual thread is between two carriers, and our own.
bool is_off_limits(std::string_view class_name) {
  return class_name.starts_with("java/lang/VirtualThread") ||
         class_name.starts_with("java/lang/ThreadBuilders$BoundVirtualThread") ||
         class_name.starts_with("jdk/internal/vm/Continuation") ||
         class_name.starts_with("java/lang/DdmTracker");
}

}  // namespace

std::unique_ptr<MethodHooks> MethodHooks::create(JNIEnv* jni, MethodNumbers& numbers,
                                                 CallRecorder& recorder, std::string& error) {
  std::unique_ptr<MethodHooks> result(new MethodHooks(numbers, recorder));
  result->hooks_ = ClassHooks::create(jni, *result, error);
  return result->hooks_ ? std::move(result) : nullptr;
}

std::string MethodHooks::put_in(JNIEnv* jni, MethodFilter filter) {
  // Hooks that another filter wanted and this one does not go with the same step.
  std::string error = hooks_->switch_on();
  if (error.empty()) error = calls_class_.define(jni);
  if (!error.empty()) {
    hooks_->switch_off();
    return error;
  }
  {
    const std::lock_guard lock(mutex_);
    filter_ = std::make_shared<MethodFilter>(std::move(filter));
    counters_ = {};
  }
  const Retransformer::Totals totals = hooks_->retransform(jni);
  log_info("method hooks: {} of {} loaded classes looked into, longest batch {:.0f} ms",
           totals.retransformed, totals.loaded, totals.longest_batch_ms);
  return "";
}

std::string MethodHooks::take_out(JNIEnv* jni) {
  {
    const std::lock_guard lock(mutex_);
    filter_ = nullptr;
  }
  // The hook stays on meanwhile: it hands every class on as it is.
  const Retransformer::Totals totals = hooks_->retransform(jni);
  log_info("method hooks: taken out of {} classes, longest batch {:.0f} ms", totals.retransformed,
           totals.longest_batch_ms);
  std::string error = hooks_->switch_off();
  // Classes that were being defined when the others were listed.
  hooks_->retransform(jni);
  return error;
}

std::shared_ptr<const MethodFilter> MethodHooks::filter() const {
  const std::lock_guard lock(mutex_);
  return filter_;
}

bool MethodHooks::may_want(std::string_view internal_name, bool of_system) {
  const std::shared_ptr<const MethodFilter> wanted = filter();
  return wanted && !is_off_limits(internal_name) && wanted->may_want_class(internal_name, of_system);
}

bool MethodHooks::needs_change(jclass klass, std::string_view internal_name, bool of_system) {
  if (is_off_limits(internal_name)) return false;
  if (may_want(internal_name, of_system)) return true;
  // Has it hooks? As JVMTI gives it, the constant pool is that of the class as it is now.
  jint count = 0, size = 0;
  JvmtiPtr<unsigned char> bytes(hooks_->jvmti());
  if (hooks_->jvmti()->GetConstantPool(klass, &count, &size, bytes.out()) != JVMTI_ERROR_NONE) {
    return false;
  }
  return std::string_view(reinterpret_cast<const char*>(bytes.get()),
                          static_cast<std::size_t>(size))
             .find(kCallsClass) != std::string_view::npos;
}

void MethodHooks::left_out(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  ++counters_.skipped[reason];
}

MethodHooks::Counters MethodHooks::counters() const {
  const std::lock_guard lock(mutex_);
  return counters_;
}

std::optional<bci::Bytes> MethodHooks::rewrite(JNIEnv*, const ComingClass& coming,
                                               bci::ByteSpan class_file) {
  const std::shared_ptr<const MethodFilter> wanted = filter();
  if (!wanted) return {};
  const auto number = [&](const bci::ClassContext& context, const bci::MethodContext& method)
      -> std::optional<bci::HookNumbers> {
    if (!wanted->wants(context.name(), method.name(), coming.of_system)) return {};
    const auto found = numbers_.number_of(context.name(), method.name(), method.descriptor(),
                                          context.file().source_file);
    if (!found) return {};
    return bci::HookNumbers{static_cast<std::int32_t>(*found), 0};
  };
  const bci::MethodEntryHook entry(hook("entered"), number);
  const bci::MethodReturnHook returns(hook("returned"), number);
  const bci::ExceptionalExitHook throws(hook("thrown"), number);
  const bci::Transformation* const all[] = {&entry, &returns, &throws};
  bci::RewriteResult result = bci::rewrite(class_file, all);
  const std::lock_guard lock(mutex_);
  for (const bci::SkippedMethod& method : result.skipped) {
    ++counters_.skipped[std::string(to_string(method.reason))];
  }
  if (result.status == bci::RewriteStatus::kSkipped) {
    ++counters_.skipped[std::string(to_string(result.reason))];
  }
  if (result.status != bci::RewriteStatus::kChanged) return {};
  ++counters_.classes;
  return std::move(result.bytes);
}

}  // namespace ddm
