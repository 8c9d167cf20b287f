#include "time/method_hooks.h"

#include <utility>

#include "core/class_names.h"
#include "core/log.h"
#include "vm/class_changes/class_changes.h"
#include "vm/class_changes/untouchable_classes.h"
#include "vm/class_methods.h"

namespace ddm {

// Class files compiled from java/tracker.
extern const unsigned char kTrackerCalls[];
extern const std::size_t kTrackerCallsSize;
extern const unsigned char kTrackerCallsLink[];
extern const std::size_t kTrackerCallsLinkSize;

namespace {

// The class inside the VM that hooked methods call on entry and exit.
constexpr const char* kCallsClass = "java/lang/DdmTrackerCalls";

CallRecorder* g_recorder = nullptr;  // one per process

void JNICALL call_entered(JNIEnv* jni, jclass, jint method, jint) {
  g_recorder->entered(jni, static_cast<MethodNumber>(method));
}

template <CallAction action>
void JNICALL call_left(JNIEnv* jni, jclass, jint method, jint) {
  g_recorder->left(jni, static_cast<MethodNumber>(method), action);
}

// As JVMTI's GetLineNumberTable begins: with the first entry, not with that of the lowest bytecode.
std::int32_t first_line(bci::MethodContext& method) {
  const bci::CodeEditor* const editor = method.editor();
  if (editor == nullptr) return -1;
  for (const bci::CodeAttribute& attribute : editor->code().attributes) {
    if (attribute.kind != bci::CodeTable::kLineNumbers) continue;
    bci::ByteReader in(attribute.body);
    if (in.u2() == 0) continue;
    in.skip(2);  // its bytecode
    const std::uint16_t line = in.u2();
    if (in.ok()) return line;
  }
  return -1;
}

bci::HookMethod calls_hook(const char* name) { return {kCallsClass, name, "(II)V"}; }

}  // namespace

MethodHooks::MethodHooks(MethodNumbers& numbers, CallRecorder& recorder, ClassHooks& hooks)
    : numbers_(numbers),
      calls_class_({kCallsClass, kTrackerCalls, kTrackerCallsSize},
                   {"java/lang/DdmTrackerCallsLink", kTrackerCallsLink, kTrackerCallsLinkSize},
                   {native_method("entered", "(II)V", reinterpret_cast<void*>(call_entered)),
                    native_method("returned", "(II)V",
                                  reinterpret_cast<void*>(call_left<CallAction::kReturn>)),
                    native_method("thrown", "(II)V",
                                  reinterpret_cast<void*>(call_left<CallAction::kThrow>))}),
      hooks_(hooks) {
  g_recorder = &recorder;
}

std::unique_ptr<MethodHooks> MethodHooks::create(JNIEnv* jni, MethodNumbers& numbers,
                                                 CallRecorder& recorder, std::string& error) {
  ClassHooks* const hooks = ClassHooks::of_process(jni, error);
  if (hooks == nullptr) return nullptr;
  return std::unique_ptr<MethodHooks>(new MethodHooks(numbers, recorder, *hooks));
}

std::string MethodHooks::install(JNIEnv* jni, MethodFilter filter) {
  // The same retransformation removes the hooks of a previous filter.
  std::string error = hooks_.define(jni, calls_class_);
  if (error.empty()) error = hooks_.switch_on(*this);
  if (!error.empty()) return error;
  {
    const std::lock_guard lock(mutex_);
    const auto stayed = std::exchange(stayed_, nullptr);
    changed_often_ = adopted_ = stayed != nullptr && *stayed == filter;
    filter_ = adopted_ ? stayed : std::make_shared<MethodFilter>(std::move(filter));
    if (!adopted_) {
      skipped_.clear();
      without_number_ = 0;
    }
  }
  const Retransformer::Totals totals = hooks_.retransform(jni, *this);
  log_info("method hooks: {} of {} loaded classes looked into, longest batch {:.0f} ms",
           totals.retransformed, totals.loaded, totals.longest_batch_ms);
  return "";
}

std::string MethodHooks::remove(JNIEnv* jni) {
  bool stay = false;
  {
    const std::lock_guard lock(mutex_);
    const auto wanted = std::exchange(filter_, nullptr);
    stay = changed_often_;
    if (stay) stayed_ = wanted;
  }
  if (stay) {
    log_info("method hooks: left in classes that have been changed often");
    return hooks_.switch_off(*this);
  }
  // The rewriting stays on meanwhile and leaves every class unchanged.
  const Retransformer::Totals totals = hooks_.retransform(jni, *this);
  log_info("method hooks: taken out of {} classes, longest batch {:.0f} ms", totals.retransformed,
           totals.longest_batch_ms);
  return hooks_.switch_off(*this);
}

std::shared_ptr<const MethodFilter> MethodHooks::filter() const {
  const std::lock_guard lock(mutex_);
  return filter_;
}

bool MethodHooks::may_want(std::string_view internal_name, bool is_platform) {
  const std::shared_ptr<const MethodFilter> wanted = filter();
  return wanted && !is_untouchable(internal_name) &&
         wanted->may_want_class(internal_name, is_platform);
}

bool MethodHooks::needs_change(jclass klass, std::string_view internal_name, bool is_platform) {
  if (is_untouchable(internal_name)) return false;
  const bool wanted = has_wanted_method(klass, internal_name, is_platform);
  const auto has_hooks = [&] { return calls_static_of(hooks_.jvmti(), klass, kCallsClass); };
  return adopted_ ? wanted && !has_hooks() : wanted || has_hooks();
}

// Checks a linked class's methods before a useless retransformation: "*.Cart.total" may match a
// method of any class.
bool MethodHooks::has_wanted_method(jclass klass, std::string_view internal_name,
                                    bool is_platform) const {
  const std::shared_ptr<const MethodFilter> wanted = filter();
  if (!wanted || !wanted->may_want_class(internal_name, is_platform)) return false;
  if (wanted->wants_all_of(internal_name, is_platform)) return true;
  return has_method(hooks_.jvmti(), klass,
                    [&](std::string_view method, std::string_view descriptor) {
                      return wanted->wants(internal_name, method, descriptor, is_platform);
                    });
}

void MethodHooks::incomplete(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  skipped_.add_unnamed(reason);
}

std::map<std::string, std::int64_t> MethodHooks::skipped() const {
  const std::lock_guard lock(mutex_);
  bci::SkippedCode::Counts skipped = skipped_.methods();
  for (const auto& [reason, count] : skipped_.classes()) skipped[reason] += count;
  if (without_number_ > 0) skipped["too-many-methods"] = without_number_;
  return skipped;
}

// Not in `skipped_`, which keeps each name: a program that makes classes for ever would fill it.
void MethodHooks::without_number(std::string_view internal_name) {
  const std::lock_guard lock(mutex_);
  if (++without_number_ > 1) return;
  log_warn("methods of {} and of classes after it are not timed: {} methods have been timed",
           dotted_name(internal_name), MethodNumbers::kMost);
}

std::optional<bci::Bytes> MethodHooks::rewrite(JNIEnv*, const LoadingClass& loading,
                                               bci::ByteSpan class_file) {
  const std::shared_ptr<const MethodFilter> wanted = filter();
  if (!wanted) return {};
  const auto number = [&](const bci::ClassContext& context,
                          bci::MethodContext& method) -> std::optional<bci::HookNumbers> {
    if (!wanted->wants(context.name(), method.name(), method.descriptor(), loading.is_platform)) {
      return {};
    }
    const auto found =
        numbers_.number_of(context.name(), method.name(), method.descriptor(),
                           context.file().source_file, first_line(method), loading.is_platform);
    if (!found) {
      without_number(loading.internal_name);
      return {};
    }
    return bci::HookNumbers{static_cast<std::int32_t>(*found), 0};
  };
  const bci::MethodHook hook({calls_hook("entered"), calls_hook("returned"), calls_hook("thrown")},
                             number);
  const bci::Transformation* const all[] = {&hook};
  bci::RewriteResult result = bci::rewrite(class_file, all);
  const std::lock_guard lock(mutex_);
  skipped_.add(result);
  if (result.status != bci::RewriteStatus::kChanged) return {};
  const std::uint32_t many = class_changes::many();
  changed_often_ |= many != 0 && class_changes::count(loading.internal_name) >= many;
  return std::move(result.bytes);
}

}  // namespace ddm
