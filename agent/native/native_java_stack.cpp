#include "native/native_java_stack.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "core/class_names.h"
#include "core/own_memory.h"
#include "vm/id_creation.h"
#include "vm/jvmti_environment.h"
#include "vm/jvmti_error.h"
#include "vm/jvmti_memory.h"
#include "vm/thread_fields.h"
#include "vm/vm_library.h"
#include "vm/vm_structs.h"

namespace ddm {
namespace {

// AsyncGetCallTrace has no header.
struct CallFrame {
  jint bci;  // -3: a native method
  jmethodID method;
};
struct CallTrace {
  JNIEnv* jni;
  jint count;  // below 1: a reason why there are none
  CallFrame* frames;
};
using AsyncGetCallTrace = void (*)(CallTrace*, jint, void*);

struct StackReading {
  JavaVM* vm = nullptr;
  AsyncGetCallTrace trace = nullptr;
  std::ptrdiff_t thread_state = 0;  // from a thread's JNIEnv to its state
  // Values of the state (JavaThreadState). JDK 28 has other ones, and all VMs tell theirs.
  std::int32_t in_native = 0, in_vm = 0;
};
StackReading g_access;
std::atomic<bool> g_open{false};

std::int32_t state_of(JNIEnv* jni) {
  std::int32_t state = 0;
  std::memcpy(&state, reinterpret_cast<const char*>(jni) + g_access.thread_state, sizeof state);
  return state;
}

void JNICALL ClassLoad(jvmtiEnv*, JNIEnv*, jthread, jclass) {}

void JNICALL ClassPrepare(jvmtiEnv* jvmti, JNIEnv*, jthread, jclass klass) {
  id_creation::create_all(jvmti, klass);
}

std::string follow_classes(JNIEnv* jni) {
  JvmtiEnvironment own = make_jvmti_environment(g_access.vm);
  if (own == nullptr) return "no JVMTI environment";
  jvmtiEventCallbacks callbacks{};
  callbacks.ClassLoad = ClassLoad;
  callbacks.ClassPrepare = ClassPrepare;
  jvmtiError error = prepare_environment(own, {}, callbacks, nullptr);
  for (const jvmtiEvent event : {JVMTI_EVENT_CLASS_LOAD, JVMTI_EVENT_CLASS_PREPARE}) {
    if (error != JVMTI_ERROR_NONE) return jvmti_error_name(error);
    error = own->SetEventNotificationMode(JVMTI_ENABLE, event, nullptr);
  }
  jvmtiEnv* const jvmti = own.release();
  jint count = 0;
  JvmtiPtr<jclass> classes(jvmti);
  error = jvmti->GetLoadedClasses(&count, classes.out());
  for (jint i = 0; i < count; ++i) {
    const LocalRef<jclass> klass(jni, classes[i]);
    id_creation::create_all(jvmti, klass.get());
  }
  return "";
}

// JNIEnv is embedded in the JavaThread, to which java.lang.Thread.eetop points.
std::string find_thread_state(JNIEnv* jni, jvmtiEnv* jvmti) {
  const auto offset = vm_structs::offset_of("JavaThread", "_thread_state");
  const auto in_native = vm_structs::int_constant("_thread_in_native");
  const auto in_vm = vm_structs::int_constant("_thread_in_vm");
  if (!offset || !in_native || !in_vm) return "this VM does not tell where a thread's state is";
  g_access.in_native = *in_native;
  g_access.in_vm = *in_vm;
  LocalRef<jthread> current(jni, nullptr);
  if (jvmti->GetCurrentThread(current.out()) != JVMTI_ERROR_NONE) return "no current thread";
  const jfieldID eetop = thread_field(jni, "eetop", "J");
  if (eetop == nullptr) return "java.lang.Thread has no field eetop";
  const auto vm_thread = static_cast<std::intptr_t>(jni->GetLongField(current.get(), eetop));
  g_access.thread_state = vm_thread + *offset - reinterpret_cast<std::intptr_t>(jni);
  constexpr std::ptrdiff_t kNear = 16 * 1024;
  const auto state = std::abs(g_access.thread_state) <= kNear
                         ? read_own<std::int32_t>(static_cast<std::uintptr_t>(vm_thread + *offset))
                         : std::nullopt;
  return state == g_access.in_native ? "" : "a thread's state is not where it should be";
}

}  // namespace

std::string open_java_stacks(jvmtiEnv* jvmti, JNIEnv* jni) {
  if (jni->GetJavaVM(&g_access.vm) != JNI_OK) return "no VM";
  g_access.trace = reinterpret_cast<AsyncGetCallTrace>(vm_library::symbol("AsyncGetCallTrace"));
  if (g_access.trace == nullptr) return "this VM has no AsyncGetCallTrace";
  std::string error = find_thread_state(jni, jvmti);
  if (error.empty()) error = follow_classes(jni);
  if (error.empty()) g_open = true;
  return error;
}

std::uint32_t read_java_stack(JavaFrame* frames, std::uint32_t most) {
  if (!g_open.load(std::memory_order_acquire)) return 0;
  void* environment = nullptr;
  if (g_access.vm->GetEnv(&environment, JNI_VERSION_10) != JNI_OK) return 0;
  auto* const jni = static_cast<JNIEnv*>(environment);
  const std::int32_t state = state_of(jni);
  if (state != g_access.in_native && state != g_access.in_vm) return 0;
  std::array<CallFrame, kMaxJavaFrames> found;
  CallTrace trace{jni, 0, found.data()};
  g_access.trace(&trace, static_cast<jint>(std::min<std::uint32_t>(most, found.size())), nullptr);
  if (trace.count <= 0) return 0;
  const auto count = std::min(static_cast<std::uint32_t>(trace.count), most);
  for (std::uint32_t i = 0; i < count; ++i) {
    frames[i] = {reinterpret_cast<std::uintptr_t>(found[i].method), found[i].bci};
  }
  return count;
}

std::string name_java_frame(jvmtiEnv* jvmti, JNIEnv* jni, const JavaFrame& frame) {
  const auto method = reinterpret_cast<jmethodID>(frame.method);  // NOLINT: it was one
  LocalRef<jclass> owner(jni, nullptr);
  JvmtiPtr<char> signature(jvmti), name(jvmti), file(jvmti);
  if (method == nullptr ||
      jvmti->GetMethodDeclaringClass(method, owner.out()) != JVMTI_ERROR_NONE ||
      jvmti->GetClassSignature(owner.get(), signature.out(), nullptr) != JVMTI_ERROR_NONE ||
      jvmti->GetMethodName(method, name.out(), nullptr, nullptr) != JVMTI_ERROR_NONE) {
    return "unknown";  // its class is gone
  }
  std::string where = "Native Method";
  if (frame.bci >= 0) {
    where = jvmti->GetSourceFileName(owner.get(), file.out()) == JVMTI_ERROR_NONE
                ? std::string(text_of(file))
                : "Unknown Source";
    jint count = 0;
    JvmtiPtr<jvmtiLineNumberEntry> lines(jvmti);
    if (jvmti->GetLineNumberTable(method, &count, lines.out()) == JVMTI_ERROR_NONE) {
      jlocation best = -1;
      jint line = -1;
      for (jint i = 0; i < count; ++i) {
        if (lines[i].start_location <= frame.bci && lines[i].start_location > best) {
          best = lines[i].start_location;
          line = lines[i].line_number;
        }
      }
      if (line >= 0) where += fmt::format(":{}", line);
    }
  }
  return fmt::format("{}.{}({})", type_name_of(text_of(signature)), text_of(name), where);
}

}  // namespace ddm
