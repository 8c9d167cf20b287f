#include "time/methods_on_stack.h"

#include <optional>
#include <unordered_map>

#include "core/class_names.h"
#include "vm/id_creation.h"
#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

std::optional<MethodNumber> number_of_method(jvmtiEnv* jvmti, JNIEnv* jni, jmethodID method,
                                             const MethodNumbers& numbers) {
  LocalRef<jclass> owner(jni, nullptr);
  JvmtiPtr<char> class_signature(jvmti), name(jvmti), signature(jvmti);
  if (jvmti->GetMethodDeclaringClass(method, owner.out()) != JVMTI_ERROR_NONE ||
      jvmti->GetClassSignature(owner.get(), class_signature.out(), nullptr) != JVMTI_ERROR_NONE ||
      jvmti->GetMethodName(method, name.out(), signature.out(), nullptr) != JVMTI_ERROR_NONE) {
    return {};
  }
  return numbers.find(internal_name_of(text_of(class_signature)), text_of(name),
                      text_of(signature));
}

}  // namespace

std::vector<MethodNumber> methods_on_stack(jvmtiEnv* jvmti, JNIEnv* jni,
                                           const MethodNumbers& numbers, MethodNumber entered) {
  std::vector<MethodNumber> methods;
  jint count = 0;
  if (jvmti->GetFrameCount(nullptr, &count) != JVMTI_ERROR_NONE || count <= 0) return methods;
  std::vector<jvmtiFrameInfo> frames(static_cast<std::size_t>(count));
  {
    const auto turn = id_creation::turn(jvmti);
    if (jvmti->GetStackTrace(nullptr, 0, count, frames.data(), &count) != JVMTI_ERROR_NONE) {
      return methods;
    }
  }
  frames.resize(static_cast<std::size_t>(count));
  std::unordered_map<jmethodID, std::optional<MethodNumber>> known;
  for (const jvmtiFrameInfo& frame : frames) {
    const auto [one, is_new] = known.try_emplace(frame.method);
    if (is_new) one->second = number_of_method(jvmti, jni, frame.method, numbers);
    if (one->second) methods.push_back(*one->second);
  }
  if (!methods.empty() && methods.front() == entered) methods.erase(methods.begin());
  return methods;
}

}  // namespace ddm
