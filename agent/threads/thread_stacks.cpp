#include "threads/thread_stacks.h"

#include "core/class_names.h"
#include "stack/names/name_table.h"
#include "vm/id_creation.h"
#include "vm/jvmti_error.h"
#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

std::int32_t line_at(jvmtiEnv* jvmti, jmethodID method, jlocation location) {
  jboolean native = JNI_FALSE;
  if (jvmti->IsMethodNative(method, &native) != JVMTI_ERROR_NONE) return kLineUnknown;
  if (native == JNI_TRUE) return kLineNative;
  jint count = 0;
  JvmtiPtr<jvmtiLineNumberEntry> lines(jvmti);
  if (jvmti->GetLineNumberTable(method, &count, lines.out()) != JVMTI_ERROR_NONE) {
    return kLineUnknown;
  }
  // Entries of a LineNumberTable may be in any order (JVMS 4.7.12).
  std::int32_t line = kLineUnknown;
  jlocation best = -1;
  for (jint i = 0; i < count; ++i) {
    const jlocation start = lines[i].start_location;
    if (start <= location && start >= best) {
      best = start;
      line = lines[i].line_number;
    }
  }
  return line;
}

// The class may be unloaded concurrently once its thread continues; unknown parts stay "".
ThreadStack::Frame read_frame(jvmtiEnv* jvmti, JNIEnv* jni, const jvmtiFrameInfo& raw) {
  ThreadStack::Frame frame;
  JvmtiPtr<char> method(jvmti);
  if (jvmti->GetMethodName(raw.method, method.out(), nullptr, nullptr) != JVMTI_ERROR_NONE) {
    frame.class_name = "unknown";
    frame.method = "unknown";
    return frame;
  }
  frame.method = text_of(method);
  frame.line = line_at(jvmti, raw.method, raw.location);
  LocalRef<jclass> owner(jni, nullptr);
  if (jvmti->GetMethodDeclaringClass(raw.method, owner.out()) != JVMTI_ERROR_NONE) return frame;
  frame.class_name = type_name_of(text_of(ClassSignature(jvmti, owner.get())));
  JvmtiPtr<char> file(jvmti);
  if (jvmti->GetSourceFileName(owner.get(), file.out()) == JVMTI_ERROR_NONE) {
    frame.file = text_of(file);
  }
  return frame;
}

}  // namespace

Result<std::vector<ThreadStack::Frame>> read_stack(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread) {
  std::vector<jvmtiFrameInfo> raw(kMaxStackFrames);
  jint count = 0;
  jvmtiError error = JVMTI_ERROR_NONE;
  {
    const auto turn = id_creation::turn(jvmti);
    error = jvmti->GetStackTrace(thread, 0, kMaxStackFrames, raw.data(), &count);
  }
  if (error != JVMTI_ERROR_NONE) return Error{jvmti_error_name(error)};
  std::vector<ThreadStack::Frame> frames;
  frames.reserve(static_cast<std::size_t>(count));
  for (jint i = 0; i < count; ++i) {
    frames.push_back(read_frame(jvmti, jni, raw[static_cast<std::size_t>(i)]));
  }
  return frames;
}

}  // namespace ddm
