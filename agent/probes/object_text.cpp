#include "probes/object_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/class_names.h"
#include "core/utf16.h"
#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

jclass class_found(JNIEnv* jni, const char* name) {
  const LocalRef<jclass> found(jni, jni->FindClass(name));
  if (clear_exception(jni) || !found) return nullptr;
  return static_cast<jclass>(jni->NewGlobalRef(found.get()));
}

struct BoxName {
  const char* type;
  const char* kind;
};
constexpr BoxName kBoxes[] = {{"java/lang/Integer", "I"},   {"java/lang/Long", "J"},
                              {"java/lang/Boolean", "Z"},   {"java/lang/Double", "D"},
                              {"java/lang/Character", "C"}, {"java/lang/Float", "F"},
                              {"java/lang/Short", "S"},     {"java/lang/Byte", "B"}};

}  // namespace

std::string text_of_whole(std::int64_t value, char kind) {
  if (kind == 'Z') return value != 0 ? "true" : "false";
  if (kind == 'C') {
    const auto unit = static_cast<char16_t>(value);
    return to_utf8({&unit, 1});
  }
  return std::to_string(value);
}

// The shortest text that reads back as the same value; only the exponent differs from Java's form.
std::string text_of_real(double value, char kind) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  std::string text =
      kind == 'F' ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string ObjectText::open(jvmtiEnv* jvmti, JNIEnv* jni) {
  if (jvmti_ != nullptr) return "";
  string_ = class_found(jni, "java/lang/String");
  enum_ = class_found(jni, "java/lang/Enum");
  throwable_ = class_found(jni, "java/lang/Throwable");
  if (string_ == nullptr || enum_ == nullptr || throwable_ == nullptr) {
    return "the classes of java.lang are not as expected";
  }
  enum_name_ = jni->GetFieldID(enum_, "name", "Ljava/lang/String;");
  clear_exception(jni);
  message_ = jni->GetFieldID(throwable_, "detailMessage", "Ljava/lang/String;");
  clear_exception(jni);
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    boxes_[i].type = class_found(jni, kBoxes[i].type);
    boxes_[i].kind = kBoxes[i].kind[0];
    if (boxes_[i].type == nullptr) continue;
    boxes_[i].value = jni->GetFieldID(boxes_[i].type, "value", kBoxes[i].kind);
    clear_exception(jni);
  }
  jvmti_ = jvmti;
  return "";
}

std::string ObjectText::string_text(JNIEnv* jni, jstring text) const {
  char16_t units[kMost];
  const jsize length = jni->GetStringLength(text);
  const jsize taken = std::min(length, static_cast<jsize>(kMost));
  jni->GetStringRegion(text, 0, taken, reinterpret_cast<jchar*>(units));
  if (clear_exception(jni)) return "";
  std::string result = to_utf8({units, static_cast<std::size_t>(taken)});
  if (taken < length) result += "...";
  return result;
}

std::string ObjectText::field_text(JNIEnv* jni, jobject object, jfieldID field) const {
  if (field == nullptr) return "";
  const LocalRef<jobject> value(jni, jni->GetObjectField(object, field));
  return value ? string_text(jni, static_cast<jstring>(value.get())) : "";
}

std::string ObjectText::text_of(JNIEnv* jni, jobject object) const {
  if (object == nullptr) return "null";
  const LocalRef<jclass> type(jni, jni->GetObjectClass(object));
  if (jni->IsSameObject(type.get(), string_)) return string_text(jni, static_cast<jstring>(object));
  for (const Box& box : boxes_) {
    if (box.value == nullptr || !jni->IsSameObject(type.get(), box.type)) continue;
    switch (box.kind) {
      case 'J':
        return text_of_whole(jni->GetLongField(object, box.value), 'J');
      case 'Z':
        return text_of_whole(jni->GetBooleanField(object, box.value), 'Z');
      case 'D':
        return text_of_real(jni->GetDoubleField(object, box.value), 'D');
      case 'F':
        return text_of_real(static_cast<double>(jni->GetFloatField(object, box.value)), 'F');
      case 'C':
        return text_of_whole(jni->GetCharField(object, box.value), 'C');
      case 'S':
        return text_of_whole(jni->GetShortField(object, box.value), 'S');
      case 'B':
        return text_of_whole(jni->GetByteField(object, box.value), 'B');
      default:
        return text_of_whole(jni->GetIntField(object, box.value), 'I');
    }
  }
  if (enum_name_ != nullptr && jni->IsInstanceOf(object, enum_)) {
    return field_text(jni, object, enum_name_);
  }
  JvmtiPtr<char> signature(jvmti_);
  jvmti_->GetClassSignature(type.get(), signature.out(), nullptr);
  std::string name = type_name_of(ddm::text_of(signature));
  if (jni->IsInstanceOf(object, throwable_)) {
    const std::string message = field_text(jni, object, message_);
    return message.empty() ? name : name + ": " + message;
  }
  jint hash = 0;
  jvmti_->GetObjectHashCode(object, &hash);
  return fmt::format("{}@{:x}", name, static_cast<std::uint32_t>(hash));
}

}  // namespace ddm
