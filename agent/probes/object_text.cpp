#include "probes/object_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/class_names.h"
#include "core/utf16.h"
#include "vm/boot_class.h"
#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

template <auto Get>
std::string text_of_box(JNIEnv* jni, jobject box, jfieldID value, char kind) {
  const auto got = (jni->*Get)(box, value);
  if constexpr (std::is_floating_point_v<decltype(got)>) {
    return text_of_real(got, kind);
  } else {
    return text_of_whole(got, kind);
  }
}

struct BoxClass {
  const char* type;
  const char* kind;  // the descriptor of its value
  std::string (*text)(JNIEnv* jni, jobject box, jfieldID value, char kind);
};
constexpr BoxClass kBoxes[] = {{"java/lang/Integer", "I", text_of_box<&JNIEnv::GetIntField>},
                               {"java/lang/Long", "J", text_of_box<&JNIEnv::GetLongField>},
                               {"java/lang/Boolean", "Z", text_of_box<&JNIEnv::GetBooleanField>},
                               {"java/lang/Double", "D", text_of_box<&JNIEnv::GetDoubleField>},
                               {"java/lang/Character", "C", text_of_box<&JNIEnv::GetCharField>},
                               {"java/lang/Float", "F", text_of_box<&JNIEnv::GetFloatField>},
                               {"java/lang/Short", "S", text_of_box<&JNIEnv::GetShortField>},
                               {"java/lang/Byte", "B", text_of_box<&JNIEnv::GetByteField>}};

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
  string_ = global_class(jni, "java/lang/String");
  enum_ = global_class(jni, "java/lang/Enum");
  throwable_ = global_class(jni, "java/lang/Throwable");
  if (string_ == nullptr || enum_ == nullptr || throwable_ == nullptr) {
    return "the classes of java.lang are not as expected";
  }
  enum_name_ = jni->GetFieldID(enum_, "name", "Ljava/lang/String;");
  clear_exception(jni);
  message_ = jni->GetFieldID(throwable_, "detailMessage", "Ljava/lang/String;");
  clear_exception(jni);
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    boxes_[i].type = global_class(jni, kBoxes[i].type);
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
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    const Box& box = boxes_[i];
    if (box.value == nullptr || !jni->IsSameObject(type.get(), box.type)) continue;
    return kBoxes[i].text(jni, object, box.value, kBoxes[i].kind[0]);
  }
  if (enum_name_ != nullptr && jni->IsInstanceOf(object, enum_)) {
    return field_text(jni, object, enum_name_);
  }
  std::string name = type_name_of(ddm::text_of(ClassSignature(jvmti_, type.get())));
  if (jni->IsInstanceOf(object, throwable_)) {
    const std::string message = field_text(jni, object, message_);
    return message.empty() ? name : name + ": " + message;
  }
  jint hash = 0;
  jvmti_->GetObjectHashCode(object, &hash);
  return fmt::format("{}@{:x}", name, static_cast<std::uint32_t>(hash));
}

}  // namespace ddm
