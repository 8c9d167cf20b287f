#include "vm/class_changes/class_bytes_reader.h"

#include <exception>

#include "core/class_names.h"
#include "core/log.h"
#include "vm/class_changes/class_archive.h"
#include "vm/class_changes/retransformer.h"
#include "vm/jvmti_error.h"
#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

using ClassFiles = std::map<std::string, std::vector<std::uint8_t>>;

void JNICALL keep_bytes(jvmtiEnv* jvmti, JNIEnv*, jclass being_redefined, jobject, const char* name,
                        jobject, jint length, const unsigned char* bytes, jint*, unsigned char**) {
  void* storage = nullptr;
  if (being_redefined == nullptr || name == nullptr ||
      jvmti->GetEnvironmentLocalStorage(&storage) != JVMTI_ERROR_NONE || storage == nullptr) {
    return;
  }
  try {
    (*static_cast<ClassFiles*>(storage))[dotted_name(name)].assign(bytes, bytes + length);
  } catch (const std::exception& failure) {
    log_debug("class files: {}", failure.what());
  }
}

class Environment {
 public:
  explicit Environment(JNIEnv* jni) {
    JavaVM* vm = nullptr;
    void* jvmti = nullptr;
    if (jni->GetJavaVM(&vm) == JNI_OK && vm->GetEnv(&jvmti, JVMTI_VERSION_11) == JNI_OK) {
      jvmti_ = static_cast<jvmtiEnv*>(jvmti);
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() {
    if (jvmti_ != nullptr) jvmti_->DisposeEnvironment();
  }

  // "" or what the VM refuses.
  std::string listen(ClassFiles& to) {
    if (jvmti_ == nullptr) return "the VM gives no JVMTI environment";
    jvmtiCapabilities wanted{};
    wanted.can_retransform_classes = 1;
    jvmtiEventCallbacks callbacks{};
    callbacks.ClassFileLoadHook = keep_bytes;
    jvmtiError error = jvmti_->AddCapabilities(&wanted);
    if (error == JVMTI_ERROR_NONE) error = jvmti_->SetEnvironmentLocalStorage(&to);
    if (error == JVMTI_ERROR_NONE) error = jvmti_->SetEventCallbacks(&callbacks, sizeof callbacks);
    if (error == JVMTI_ERROR_NONE) {
      error =
          jvmti_->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, nullptr);
    }
    return error == JVMTI_ERROR_NONE ? "" : std::string("class files: ") + jvmti_error_name(error);
  }
  jvmtiEnv* get() const { return jvmti_; }

 private:
  jvmtiEnv* jvmti_ = nullptr;
};

}  // namespace

ClassFiles read_class_bytes(JNIEnv* jni, const std::function<bool(const std::string& name)>& wanted,
                            std::string& error) {
  ClassFiles bytes;
  error = why_classes_stay();
  if (!error.empty()) return bytes;
  Environment environment(jni);
  error = environment.listen(bytes);
  if (!error.empty()) return bytes;
  Retransformer retransformer(
      environment.get(),
      [&](JNIEnv*, jclass klass) {
        JvmtiPtr<char> signature(environment.get());
        return environment.get()->GetClassSignature(klass, signature.out(), nullptr) ==
                   JVMTI_ERROR_NONE &&
               wanted(type_name_of(text_of(signature)));
      },
      [](const std::string& reason, std::string_view) { log_debug("class files: {}", reason); });
  retransformer.all_loaded(jni);
  return bytes;
}

}  // namespace ddm
