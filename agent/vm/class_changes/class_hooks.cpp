#include "vm/class_changes/class_hooks.h"

#include <exception>

#include "core/class_names.h"
#include "core/log.h"
#include "vm/class_changes/class_bytes.h"
#include "vm/jvmti_error.h"
#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

jobject platform_loader(JNIEnv* jni) {
  const LocalRef<jclass> loaders(jni, jni->FindClass("java/lang/ClassLoader"));
  if (clear_exception(jni) || !loaders) return nullptr;
  const jmethodID get =
      jni->GetStaticMethodID(loaders.get(), "getPlatformClassLoader", "()Ljava/lang/ClassLoader;");
  if (clear_exception(jni) || get == nullptr) return nullptr;
  const LocalRef<jobject> loader(jni, jni->CallStaticObjectMethod(loaders.get(), get));
  if (clear_exception(jni) || !loader) return nullptr;
  return jni->NewGlobalRef(loader.get());
}

}  // namespace

std::unique_ptr<ClassHooks> ClassHooks::create(JNIEnv* jni, ClassRewriting& rewriting,
                                               std::string& error) {
  error = why_classes_stay();
  if (!error.empty()) return nullptr;
  JavaVM* vm = nullptr;
  void* environment = nullptr;
  if (jni->GetJavaVM(&vm) != JNI_OK || vm->GetEnv(&environment, JVMTI_VERSION_11) != JNI_OK) {
    error = "the VM gives no further JVMTI environment";
    return nullptr;
  }
  auto* const jvmti = static_cast<jvmtiEnv*>(environment);
  jvmtiCapabilities wanted{};
  wanted.can_retransform_classes = 1;
  wanted.can_get_constant_pool = 1;
  wanted.can_get_bytecodes = 1;
  jvmtiEventCallbacks callbacks{};
  callbacks.ClassFileLoadHook = ClassFileLoadHook;
  callbacks.ClassPrepare = ClassPrepare;
  std::unique_ptr<ClassHooks> hooks(new ClassHooks(jvmti, rewriting));
  jvmtiError failed = jvmti->AddCapabilities(&wanted);
  if (failed == JVMTI_ERROR_NONE) failed = jvmti->SetEnvironmentLocalStorage(hooks.get());
  if (failed == JVMTI_ERROR_NONE) failed = jvmti->SetEventCallbacks(&callbacks, sizeof callbacks);
  if (failed != JVMTI_ERROR_NONE) {
    jvmti->DisposeEnvironment();
    error = std::string("classes cannot be retransformed: ") + jvmti_error_name(failed);
    return nullptr;
  }
  hooks->platform_loader_ = platform_loader(jni);
  return hooks;
}

ClassHooks::ClassHooks(jvmtiEnv* jvmti, ClassRewriting& rewriting)
    : jvmti_(jvmti),
      rewriting_(rewriting),
      retransformer_(
          jvmti, [this](JNIEnv* jni, jclass klass) { return needs_change(jni, klass); },
          [this](const std::string& reason, std::string_view signature) {
            if (signature.empty()) {
              rewriting_.left_out(reason);
            } else {
              rewriting_.refused(internal_name_of(signature), reason);
            }
          }),
      hooked_(jvmti),
      archived_calls_(jvmti) {}

ClassHooks* ClassHooks::of(jvmtiEnv* jvmti) {
  void* hooks = nullptr;
  return jvmti->GetEnvironmentLocalStorage(&hooks) == JVMTI_ERROR_NONE
             ? static_cast<ClassHooks*>(hooks)
             : nullptr;
}

std::string ClassHooks::set_event(jvmtiEvent event, bool on) {
  const jvmtiError error =
      jvmti_->SetEventNotificationMode(on ? JVMTI_ENABLE : JVMTI_DISABLE, event, nullptr);
  if (error == JVMTI_ERROR_NONE) return "";
  return std::string("switching the class events: ") + jvmti_error_name(error);
}

std::string ClassHooks::switch_on() {
  on_ = true;
  std::string error = set_event(JVMTI_EVENT_CLASS_PREPARE, true);
  if (error.empty()) error = set_event(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, true);
  if (!error.empty()) switch_off();
  return error;
}

// Classes that the hook has changed and that are not linked yet are put back when they are.
std::string ClassHooks::switch_off() {
  on_ = false;
  std::string error = set_event(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, false);
  if (hooked_.keep_changed()) return error;
  const std::string of_links = set_event(JVMTI_EVENT_CLASS_PREPARE, false);
  return error.empty() ? of_links : error;
}

// The wish is new before any class is looked at: one that is linked after that is seen to be of an
// older one, one that was linked before is among those that are loaded.
Retransformer::Totals ClassHooks::retransform(JNIEnv* jni) {
  hooked_.change_wish();
  return retransformer_.all_loaded(jni);
}

void ClassHooks::linked(JNIEnv* jni, jclass klass) {
  const auto passed = hooked_.take(jni, klass);
  if (passed && passed->of_this_wish) return;
  if (passed && passed->changed) {
    retransformer_.again(klass);
  } else if (on_) {
    retransformer_.linked_without_hook(jni, klass);
  }
}

bool ClassHooks::needs_change(JNIEnv* jni, jclass klass) const {
  JvmtiPtr<char> signature(jvmti_);
  LocalRef<jobject> loader(jni, nullptr);
  if (jvmti_->GetClassSignature(klass, signature.out(), nullptr) != JVMTI_ERROR_NONE ||
      jvmti_->GetClassLoader(klass, loader.out()) != JVMTI_ERROR_NONE) {
    return false;
  }
  const std::string_view name = internal_name_of(text_of(signature));
  return rewriting_.needs_change(klass, name, is_of_system(jni, loader.get()));
}

bool ClassHooks::is_of_system(JNIEnv* jni, jobject loader) const {
  return loader == nullptr ||
         (platform_loader_ != nullptr && jni->IsSameObject(loader, platform_loader_));
}

void JNICALL ClassHooks::ClassFileLoadHook(jvmtiEnv* jvmti, JNIEnv* jni, jclass being_redefined,
                                           jobject loader, const char* name, jobject, jint length,
                                           const unsigned char* bytes, jint* new_length,
                                           unsigned char** new_bytes) {
  ClassHooks* const hooks = of(jvmti);
  if (hooks == nullptr || name == nullptr) return;
  try {
    const bool is_new = being_redefined == nullptr;
    const HookedClasses::Key key = is_new ? hooks->hooked_.add(name, loader) : 0;
    const bool of_system = hooks->is_of_system(jni, loader);
    std::optional<bci::Bytes> rewritten;
    if (hooks->rewriting_.may_want(name, of_system)) {
      rewritten = hooks->rewriting_.rewrite(jni, {name, loader, of_system},
                                            {bytes, static_cast<std::size_t>(length)});
    }
    if (rewritten && give_class_bytes(jvmti, *rewritten, new_length, new_bytes)) return;
    if (rewritten) hooks->rewriting_.left_out("out of memory");
    if (!is_new) return;
    hooks->hooked_.left_as_it_is(key);
    if (hooks->archived_calls_.may_be_in(name, loader)) {
      const bci::ByteSpan unchanged(bytes, static_cast<std::size_t>(length));
      if (!give_class_bytes(jvmti, unchanged, new_length, new_bytes)) {
        hooks->rewriting_.left_out("out of memory");
      }
    }
  } catch (const std::exception& failure) {
    log_error("in ClassFileLoadHook: {}", failure.what());
  }
}

void JNICALL ClassHooks::ClassPrepare(jvmtiEnv* jvmti, JNIEnv* jni, jthread, jclass klass) {
  ClassHooks* const hooks = of(jvmti);
  if (hooks == nullptr) return;
  try {
    hooks->rewriting_.prepared(jni, klass);
    hooks->linked(jni, klass);
  } catch (const std::exception& failure) {
    log_error("in ClassPrepare: {}", failure.what());
  }
}

}  // namespace ddm
