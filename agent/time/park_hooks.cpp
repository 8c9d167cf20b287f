#include "time/park_hooks.h"

#include <atomic>
#include <cstring>
#include <string_view>

#include "bci/opcodes.h"
#include "bci/rewrite.h"
#include "jvm/boot_class.h"
#include "jvm/class_bytes.h"
#include "jvm/jvmti_error.h"
#include "jvm/jvmti_memory.h"

namespace ddm {

// The class file, compiled from java/tracker.
extern const unsigned char kTrackerParks[];
extern const std::size_t kTrackerParksSize;

namespace {

constexpr const char* kParksClass = "java/lang/DdmTrackerParks";
constexpr const char* kLockSupport = "java/util/concurrent/locks/LockSupport";
constexpr const char* kVirtualThread = "java/lang/VirtualThread";  // from 21 on

std::atomic<ParkListener*> g_listener{nullptr};
std::atomic<bool> g_hooked{false};  // what the class file hook is to make of the classes

// Around every call that parks: behind it, and before it when everything is said that Java says of
// it (Thread.parkBlocker).
class ParkCalls final : public bci::Transformation {
 public:
  std::string_view name() const override { return "ParkCalls"; }
  bool holds_hook(std::string_view class_name) const override { return class_name == kParksClass; }

  void apply(bci::ClassContext& context) const override {
    const bool virtual_thread = context.name() == kVirtualThread;
    for (bci::MethodContext& method : context.methods()) {
      if (!method.has_code()) continue;
      if (virtual_thread && method.name() != "parkOnCarrierThread") continue;
      bci::CodeEditor* editor = method.editor();
      if (editor == nullptr) continue;
      for (bci::Label at = 0; at < editor->code().end_label(); ++at) {
        const bci::ByteSpan bytes = editor->code().bytes_of(at);
        if (!bci::is_invoke(bytes[0]) || !parks(context.pool(), bytes)) continue;
        editor->before(at, call(*editor, virtual_thread ? "pinning" : "parking"));
        editor->after(at, call(*editor, virtual_thread ? "pinned" : "parked"));
      }
    }
  }

 private:
  static bool parks(const bci::ConstantPool& pool, bci::ByteSpan call) {
    const auto callee = pool.member(static_cast<std::uint16_t>(call[1] << 8 | call[2]));
    return callee && ((callee->owner == "jdk/internal/misc/Unsafe" && callee->name == "park") ||
                      callee->name == "parkVirtualThread");
  }
  static bci::Snippet call(bci::CodeEditor& editor, const char* hook) {
    return editor.snippet().call({kParksClass, hook, "()V"});
  }
};

void JNICALL park_class_file(jvmtiEnv* jvmti, JNIEnv*, jclass redefined, jobject loader,
                             const char* name, jobject, jint length, const unsigned char* bytes,
                             jint* new_length, unsigned char** new_bytes) {
  if (redefined == nullptr || loader != nullptr || name == nullptr || !g_hooked) return;
  if (std::strcmp(name, kLockSupport) != 0 && std::strcmp(name, kVirtualThread) != 0) return;
  const ParkCalls calls;
  const bci::Transformation* const all[] = {&calls};
  const bci::RewriteResult result = bci::rewrite({bytes, static_cast<std::size_t>(length)}, all);
  if (result.status != bci::RewriteStatus::kChanged) return;
  give_class_bytes(jvmti, result.bytes, new_length, new_bytes);
}

jclass found_class(JNIEnv* jni, const char* name) {
  const LocalRef<jclass> found(jni, jni->FindClass(name));
  if (clear_exception(jni) || !found) return nullptr;
  return static_cast<jclass>(jni->NewGlobalRef(found.get()));
}

}  // namespace

// A native method that is not bound is looked up by Java code, which may park itself. So each is
// called once before anything is rewritten.
std::string ParkHooks::prepare(JNIEnv* jni) {
  if (!classes_.empty()) return "";
  const jclass parks = define_boot_class(jni, kParksClass, kTrackerParks, kTrackerParksSize);
  if (parks == nullptr) return "the VM refused to define java.lang.DdmTrackerParks";
  for (const char* name : {"parking", "parked", "pinning", "pinned"}) {
    const jmethodID method = jni->GetStaticMethodID(parks, name, "()V");
    if (method != nullptr) jni->CallStaticVoidMethod(parks, method);
    if (clear_exception(jni) || method == nullptr)
      return "the VM does not find the agent's natives";
  }
  JavaVM* vm = nullptr;
  void* environment = nullptr;
  if (jni->GetJavaVM(&vm) != JNI_OK || vm->GetEnv(&environment, JVMTI_VERSION_11) != JNI_OK) {
    return "the VM gives no further JVMTI environment";
  }
  jvmti_ = static_cast<jvmtiEnv*>(environment);
  jvmtiCapabilities needed{};
  needed.can_retransform_classes = 1;
  jvmtiEventCallbacks callbacks{};
  callbacks.ClassFileLoadHook = park_class_file;
  jvmtiError error = jvmti_->AddCapabilities(&needed);
  if (error == JVMTI_ERROR_NONE) error = jvmti_->SetEventCallbacks(&callbacks, sizeof callbacks);
  if (error != JVMTI_ERROR_NONE) {
    jvmti_->DisposeEnvironment();  // the next start() asks anew
    jvmti_ = nullptr;
    return std::string("retransforming: ") + jvmti_error_name(error);
  }
  for (const char* name : {kLockSupport, kVirtualThread}) {
    if (jclass klass = found_class(jni, name)) classes_.push_back(klass);
  }
  return classes_.empty() ? "there is no LockSupport" : "";
}

std::string ParkHooks::rewrite(bool hooked) {
  g_hooked = hooked;
  jvmtiError error =
      jvmti_->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, nullptr);
  if (error == JVMTI_ERROR_NONE) {
    error = jvmti_->RetransformClasses(static_cast<jint>(classes_.size()), classes_.data());
  }
  jvmti_->SetEventNotificationMode(JVMTI_DISABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, nullptr);
  if (error == JVMTI_ERROR_NONE) return "";
  return std::string("retransforming LockSupport: ") + jvmti_error_name(error);
}

std::string ParkHooks::start(JNIEnv* jni, ParkListener& listener) {
  if (on_) return "";
  std::string error = prepare(jni);
  if (!error.empty()) return error;
  g_listener = &listener;
  error = rewrite(true);
  on_ = error.empty();
  if (!on_) g_listener = nullptr;
  return error;
}

std::string ParkHooks::stop() {
  if (!on_) return "";
  g_listener = nullptr;
  on_ = false;
  return rewrite(false);
}

}  // namespace ddm

extern "C" {

JNIEXPORT void JNICALL Java_java_lang_DdmTrackerParks_parking(JNIEnv* jni, jclass) {
  if (ddm::ParkListener* listener = ddm::g_listener) listener->parking(jni, false);
}

JNIEXPORT void JNICALL Java_java_lang_DdmTrackerParks_parked(JNIEnv* jni, jclass) {
  if (ddm::ParkListener* listener = ddm::g_listener) listener->parked(jni, false);
}

JNIEXPORT void JNICALL Java_java_lang_DdmTrackerParks_pinning(JNIEnv* jni, jclass) {
  if (ddm::ParkListener* listener = ddm::g_listener) listener->parking(jni, true);
}

JNIEXPORT void JNICALL Java_java_lang_DdmTrackerParks_pinned(JNIEnv* jni, jclass) {
  if (ddm::ParkListener* listener = ddm::g_listener) listener->parked(jni, true);
}
}
