#include "stack/jvmti_stack_capture.h"

#include <fmt/format.h>

#include "vm/id_creation.h"
#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

// Room for frames that are not shown: enough for nearly all stacks; others are read in parts.
constexpr std::size_t kUnshown = 7;

}  // namespace

JvmtiStackCapture::JvmtiStackCapture(jvmtiEnv* jvmti, SeenMethods& names)
    : jvmti_(jvmti), names_(names) {}

std::size_t JvmtiStackCapture::frames_from(std::size_t start, std::span<RawFrame> frames) {
  static_assert(sizeof(RawFrame) == sizeof(jvmtiFrameInfo));
  const auto turn = id_creation::turn(jvmti_);
  jint count = 0;
  const jvmtiError error =
      jvmti_->GetStackTrace(nullptr, static_cast<jint>(start), static_cast<jint>(frames.size()),
                            reinterpret_cast<jvmtiFrameInfo*>(frames.data()), &count);
  return error == JVMTI_ERROR_NONE && count > 0 ? static_cast<std::size_t>(count) : 0;
}

void JvmtiStackCapture::capture(JNIEnv* jni, ShownStack& stack) {
  RawFrame raw[ShownStack::kMostFrames + kUnshown];
  const std::size_t asked = stack.wanted() + kUnshown;
  for (std::size_t start = 0;;) {
    const std::size_t count = frames_from(start, {raw, asked});
    for (std::size_t i = 0; i < count; ++i) {
      if (!stack.add(names_.shown(jni, raw[i], nullptr))) return;
    }
    if (count < asked) return;
    start += count;
  }
}

std::string JvmtiStackCapture::text_of(JNIEnv* jni, const RawFrame& frame) const {
  if (frame.method == nullptr) return "nothing";
  LocalRef<jclass> owner(jni, nullptr);
  JvmtiPtr<char> owner_name(jvmti_), name(jvmti_), signature(jvmti_);
  if (jvmti_->GetMethodDeclaringClass(frame.method, owner.out()) != JVMTI_ERROR_NONE ||
      jvmti_->GetClassSignature(owner.get(), owner_name.out(), nullptr) != JVMTI_ERROR_NONE ||
      jvmti_->GetMethodName(frame.method, name.out(), signature.out(), nullptr) !=
          JVMTI_ERROR_NONE) {
    return "a method without a name";
  }
  return fmt::format("{}.{}{} @ {}", ddm::text_of(owner_name), ddm::text_of(name),
                     ddm::text_of(signature), frame.location);
}

}  // namespace ddm
