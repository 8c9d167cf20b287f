#include "time/park_hooks.h"

#include <atomic>
#include <cstring>
#include <string_view>

#include "bci/opcodes.h"
#include "bci/rewrite.h"
#include "vm/boot_class.h"
#include "vm/bound_class.h"
#include "vm/class_changes/class_archive.h"
#include "vm/class_changes/class_bytes.h"
#include "vm/jvmti_error.h"
#include "vm/jvmti_memory.h"

namespace ddm {

// The class files, compiled from java/tracker.
extern const unsigned char kTrackerParks[];
extern const std::size_t kTrackerParksSize;
extern const unsigned char kTrackerParksLink[];
extern const std::size_t kTrackerParksLinkSize;

namespace {

constexpr const char* kParksClass = "java/lang/DdmTrackerParks";
constexpr const char* kLockSupport = "java/util/concurrent/locks/LockSupport";
constexpr const char* kVirtualThread = "java/lang/VirtualThread";  // from 21 on

std::atomic<ParkListener*> g_listener{nullptr};
std::atomic<bool> g_hooked{false};  // what the class file hook is to make of the classes

template <bool pinned>
void JNICALL park_begins(JNIEnv* jni, jclass) {
  if (ParkListener* listener = g_listener) listener->parking(jni, pinned);
}

template <bool pinned>
void JNICALL park_ends(JNIEnv* jni, jclass) {
  if (ParkListener* listener = g_listener) listener->parked(jni, pinned);
}

// One a process, as the listener.
BoundClass& parks_class() {
  static BoundClass parks(
      {kParksClass, kTrackerParks, kTrackerParksSize},
      {"java/lang/DdmTrackerParksLink", kTrackerParksLink, kTrackerParksLinkSize},
      {native_method("parking", "()V", reinterpret_cast<void*>(park_begins<false>)),
       native_method("parked", "()V", reinterpret_cast<void*>(park_ends<false>)),
       native_method("pinning", "()V", reinterpret_cast<void*>(park_begins<true>)),
       native_method("pinned", "()V", reinterpret_cast<void*>(park_ends<true>))});
  return parks;
}

void JNICALL park_class_prepared(jvmtiEnv*, JNIEnv* jni, jthread, jclass klass) {
  parks_class().prepared(jni, klass);
}

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
  const LocalRef<jclass> found(jni, find_boot_class(jni, name));
  if (!found) return nullptr;
  return static_cast<jclass>(jni->NewGlobalRef(found.get()));
}

}  // namespace

std::string ParkHooks::prepare(JNIEnv* jni) {
  if (!classes_.empty()) return "";
  if (std::string why = why_classes_stay(); !why.empty()) return why;
  std::string error = open_environment(jni);
  if (!error.empty()) return error;
  error = switch_event(JVMTI_EVENT_CLASS_PREPARE, JVMTI_ENABLE);
  if (error.empty()) error = parks_class().define(jni);
  switch_event(JVMTI_EVENT_CLASS_PREPARE, JVMTI_DISABLE);
  if (!error.empty()) return error;
  for (const char* name : {kLockSupport, kVirtualThread}) {
    if (jclass klass = found_class(jni, name)) classes_.push_back(klass);
  }
  return classes_.empty() ? "there is no LockSupport" : "";
}

std::string ParkHooks::open_environment(JNIEnv* jni) {
  if (jvmti_ != nullptr) return "";
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
  callbacks.ClassPrepare = park_class_prepared;
  jvmtiError error = jvmti_->AddCapabilities(&needed);
  if (error == JVMTI_ERROR_NONE) error = jvmti_->SetEventCallbacks(&callbacks, sizeof callbacks);
  if (error == JVMTI_ERROR_NONE) return "";
  jvmti_->DisposeEnvironment();  // the next start() asks anew
  jvmti_ = nullptr;
  return std::string("retransforming: ") + jvmti_error_name(error);
}

std::string ParkHooks::switch_event(jvmtiEvent event, jvmtiEventMode mode) {
  const jvmtiError error = jvmti_->SetEventNotificationMode(mode, event, nullptr);
  if (error == JVMTI_ERROR_NONE) return "";
  return std::string("switching an event: ") + jvmti_error_name(error);
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
