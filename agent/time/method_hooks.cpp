#include "time/method_hooks.h"

#include <exception>
#include <string_view>

#include "bci/class_file.h"
#include "bci/constant_pool.h"
#include "jvm/class_bytes.h"
#include "jvm/jvmti_error.h"
#include "jvm/jvmti_memory.h"
#include "log.h"
#include "records/name_table.h"

namespace ddm {
namespace {

MethodHooks* g_hooks = nullptr;

bci::HookMethod hook(const char* name) { return {kCallsClass, name, "(II)V"}; }

// Code that runs while a virtual thread is between two carriers, and our own.
bool is_off_limits(std::string_view class_name) {
  return class_name.starts_with("java/lang/VirtualThread") ||
         class_name.starts_with("java/lang/ThreadBuilders$BoundVirtualThread") ||
         class_name.starts_with("jdk/internal/vm/Continuation") ||
         class_name.starts_with("java/lang/DdmTracker");
}

jobject platform_loader(JNIEnv* jni) {
  const LocalRef<jclass> loaders(jni, jni->FindClass("java/lang/ClassLoader"));
  if (clear_exception(jni) || !loaders) return nullptr;
  const jmethodID get = jni->GetStaticMethodID(loaders.get(), "getPlatformClassLoader",
                                               "()Ljava/lang/ClassLoader;");
  if (clear_exception(jni) || get == nullptr) return nullptr;
  const LocalRef<jobject> loader(jni, jni->CallStaticObjectMethod(loaders.get(), get));
  if (clear_exception(jni) || !loader) return nullptr;
  return jni->NewGlobalRef(loader.get());
}

}  // namespace

std::unique_ptr<MethodHooks> MethodHooks::create(JNIEnv* jni, MethodNumbers& numbers,
                                                 CallRecorder& recorder, std::string& error) {
  JavaVM* vm = nullptr;
  void* environment = nullptr;
  if (jni->GetJavaVM(&vm) != JNI_OK ||
      vm->GetEnv(&environment, JVMTI_VERSION_11) != JNI_OK) {
    error = "the VM gives no further JVMTI environment";
    return nullptr;
  }
  auto* const jvmti = static_cast<jvmtiEnv*>(environment);
  jvmtiCapabilities wanted{};
  wanted.can_retransform_classes = 1;
  wanted.can_get_constant_pool = 1;
  jvmtiEventCallbacks callbacks{};
  callbacks.ClassFileLoadHook = ClassFileLoadHook;
  callbacks.ClassPrepare = ClassPrepare;
  jvmtiError failed = jvmti->AddCapabilities(&wanted);
  if (failed == JVMTI_ERROR_NONE) failed = jvmti->SetEventCallbacks(&callbacks, sizeof callbacks);
  if (failed != JVMTI_ERROR_NONE) {
    jvmti->DisposeEnvironment();
    error = std::string("classes cannot be retransformed: ") + jvmti_error_name(failed);
    return nullptr;
  }
  std::unique_ptr<MethodHooks> hooks(new MethodHooks(jvmti, numbers, recorder));
  hooks->platform_loader_ = platform_loader(jni);
  g_hooks = hooks.get();
  return hooks;
}

MethodHooks::MethodHooks(jvmtiEnv* jvmti, MethodNumbers& numbers, CallRecorder& recorder)
    : jvmti_(jvmti),
      numbers_(numbers),
      calls_class_(recorder),
      retransformer_(
          jvmti, [this](JNIEnv* jni, jclass klass) { return needs_change(jni, klass); },
          [this](const std::string& reason) { count(reason); }),
      hooked_(jvmti) {}

std::string MethodHooks::set_events(jvmtiEventMode mode) {
  for (const jvmtiEvent event : {JVMTI_EVENT_CLASS_PREPARE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK}) {
    const jvmtiError error = jvmti_->SetEventNotificationMode(mode, event, nullptr);
    if (error != JVMTI_ERROR_NONE) {
      return std::string("switching the class events: ") + jvmti_error_name(error);
    }
  }
  return "";
}

std::string MethodHooks::put_in(JNIEnv* jni, MethodFilter filter) {
  // Hooks that another filter wanted and this one does not go with the same step.
  std::string error = set_events(JVMTI_ENABLE);
  if (error.empty()) error = calls_class_.define(jni);
  if (!error.empty()) {
    set_events(JVMTI_DISABLE);
    return error;
  }
  {
    const std::lock_guard lock(mutex_);
    filter_ = std::make_shared<MethodFilter>(std::move(filter));
    counters_ = {};
  }
  const Retransformer::Totals totals = retransformer_.all_loaded(jni);
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
  const Retransformer::Totals totals = retransformer_.all_loaded(jni);
  log_info("method hooks: taken out of {} classes, longest batch {:.0f} ms", totals.retransformed,
           totals.longest_batch_ms);
  std::string error = set_events(JVMTI_DISABLE);
  // Classes that were being defined when the others were listed.
  retransformer_.all_loaded(jni);
  return error;
}

bool MethodHooks::needs_change(JNIEnv* jni, jclass klass) const {
  std::shared_ptr<const MethodFilter> filter;
  {
    const std::lock_guard lock(mutex_);
    filter = filter_;
  }
  if (has_hooks(klass)) return true;
  if (!filter) return false;
  JvmtiPtr<char> signature(jvmti_);
  LocalRef<jobject> loader(jni, nullptr);
  if (jvmti_->GetClassSignature(klass, signature.out(), nullptr) != JVMTI_ERROR_NONE ||
      jvmti_->GetClassLoader(klass, loader.out()) != JVMTI_ERROR_NONE) {
    return false;
  }
  const std::string_view name = internal_name_of(text_of(signature));
  return !is_off_limits(name) && filter->may_want_class(name, is_of_system(jni, loader.get()));
}

// As JVMTI gives it, the constant pool is that of the class as it is now.
bool MethodHooks::has_hooks(jclass klass) const {
  jint count = 0, size = 0;
  JvmtiPtr<unsigned char> bytes(jvmti_);
  if (jvmti_->GetConstantPool(klass, &count, &size, bytes.out()) != JVMTI_ERROR_NONE) return false;
  return std::string_view(reinterpret_cast<const char*>(bytes.get()),
                          static_cast<std::size_t>(size))
             .find(kCallsClass) != std::string_view::npos;
}

bool MethodHooks::is_of_system(JNIEnv* jni, jobject loader) const {
  return loader == nullptr ||
         (platform_loader_ != nullptr && jni->IsSameObject(loader, platform_loader_));
}

void MethodHooks::count(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  ++counters_.skipped[reason];
}

MethodHooks::Counters MethodHooks::counters() const {
  const std::lock_guard lock(mutex_);
  return counters_;
}

std::optional<bci::Bytes> MethodHooks::rewrite(const MethodFilter& filter, bci::ByteSpan class_file,
                                               bool of_system) {
  const auto number = [&](const bci::ClassContext& context, const bci::MethodContext& method)
      -> std::optional<bci::HookNumbers> {
    if (!filter.wants(context.name(), method.name(), of_system)) return {};
    const auto found = numbers_.number_of(context.name(), method.name(), method.descriptor());
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

void JNICALL MethodHooks::ClassFileLoadHook(jvmtiEnv* jvmti, JNIEnv* jni, jclass being_redefined,
                                            jobject loader, const char* name, jobject, jint length,
                                            const unsigned char* bytes, jint* new_length,
                                            unsigned char** new_bytes) {
  MethodHooks* const hooks = g_hooks;
  if (hooks == nullptr || name == nullptr || is_off_limits(name)) return;
  try {
    if (being_redefined == nullptr) hooks->hooked_.add(name, loader);
    std::shared_ptr<const MethodFilter> filter;
    {
      const std::lock_guard lock(hooks->mutex_);
      filter = hooks->filter_;
    }
    const bool of_system = hooks->is_of_system(jni, loader);
    if (!filter || !filter->may_want_class(name, of_system)) return;
    const auto rewritten =
        hooks->rewrite(*filter, {bytes, static_cast<std::size_t>(length)}, of_system);
    if (!rewritten) return;
    if (!give_class_bytes(jvmti, *rewritten, new_length, new_bytes)) hooks->count("out of memory");
  } catch (const std::exception& failure) {
    log_error("in ClassFileLoadHook, for method hooks: {}", failure.what());
  }
}

void JNICALL MethodHooks::ClassPrepare(jvmtiEnv*, JNIEnv* jni, jthread, jclass klass) {
  MethodHooks* const hooks = g_hooks;
  if (hooks == nullptr) return;
  try {
    hooks->calls_class_.prepared(jni, klass);
    if (!hooks->hooked_.take(jni, klass)) hooks->retransformer_.linked_without_hook(jni, klass);
  } catch (const std::exception& failure) {
    log_error("in ClassPrepare, for method hooks: {}", failure.what());
  }
}

}  // namespace ddm
