#include "probes/object_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "core/class_names.h"
#include "core/jvm_text.h"
#include "core/utf16.h"
#include "vm/boot_class.h"
#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

constexpr std::size_t kMostParts = 20;  // fields of an object, elements of an array
constexpr std::size_t kMostText = 255;  // characters of a String in an object
constexpr jint kStatic = 0x8;           // ACC_STATIC

template <typename Value>
std::string text_of_primitive(Value value, char kind) {
  if constexpr (std::is_floating_point_v<Value>) {
    return text_of_real(value, kind);
  } else {
    return text_of_whole(value, kind);
  }
}

template <auto Get>
std::string text_of_field(JNIEnv* jni, jobject object, jfieldID field, char kind) {
  return text_of_primitive((jni->*Get)(object, field), kind);
}

template <typename Array, typename Value, void (JNIEnv::*Get)(Array, jsize, jsize, Value*)>
std::string text_of_element(JNIEnv* jni, jobject array, jsize at, char kind) {
  Value value{};
  (jni->*Get)(static_cast<Array>(array), at, 1, &value);
  return text_of_primitive(value, kind);
}

struct Primitive {
  const char* box;
  const char* kind;  // the descriptor
  std::string (*field)(JNIEnv* jni, jobject object, jfieldID field, char kind);
  std::string (*element)(JNIEnv* jni, jobject array, jsize at, char kind);
};
constexpr Primitive kPrimitives[] = {
    {"java/lang/Integer", "I", text_of_field<&JNIEnv::GetIntField>,
     text_of_element<jintArray, jint, &JNIEnv::GetIntArrayRegion>},
    {"java/lang/Long", "J", text_of_field<&JNIEnv::GetLongField>,
     text_of_element<jlongArray, jlong, &JNIEnv::GetLongArrayRegion>},
    {"java/lang/Boolean", "Z", text_of_field<&JNIEnv::GetBooleanField>,
     text_of_element<jbooleanArray, jboolean, &JNIEnv::GetBooleanArrayRegion>},
    {"java/lang/Double", "D", text_of_field<&JNIEnv::GetDoubleField>,
     text_of_element<jdoubleArray, jdouble, &JNIEnv::GetDoubleArrayRegion>},
    {"java/lang/Character", "C", text_of_field<&JNIEnv::GetCharField>,
     text_of_element<jcharArray, jchar, &JNIEnv::GetCharArrayRegion>},
    {"java/lang/Float", "F", text_of_field<&JNIEnv::GetFloatField>,
     text_of_element<jfloatArray, jfloat, &JNIEnv::GetFloatArrayRegion>},
    {"java/lang/Short", "S", text_of_field<&JNIEnv::GetShortField>,
     text_of_element<jshortArray, jshort, &JNIEnv::GetShortArrayRegion>},
    {"java/lang/Byte", "B", text_of_field<&JNIEnv::GetByteField>,
     text_of_element<jbyteArray, jbyte, &JNIEnv::GetByteArrayRegion>}};

// Null: a reference.
const Primitive* primitive_of(std::string_view descriptor) {
  const auto at = std::ranges::find(kPrimitives, descriptor, &Primitive::kind);
  return at != std::end(kPrimitives) ? at : nullptr;
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

std::string string_text(JNIEnv* jni, jstring text, std::size_t most) {
  const jsize length = jni->GetStringLength(text);
  const jsize taken = std::min(length, static_cast<jsize>(most));
  std::u16string units(static_cast<std::size_t>(taken), u' ');
  jni->GetStringRegion(text, 0, taken, reinterpret_cast<jchar*>(units.data()));
  if (clear_exception(jni)) return "";
  std::string result = to_utf8(units);
  if (taken < length) result += "...";
  return result;
}

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
    boxes_[i].type = global_class(jni, kPrimitives[i].box);
    if (boxes_[i].type == nullptr) continue;
    boxes_[i].value = jni->GetFieldID(boxes_[i].type, "value", kPrimitives[i].kind);
    clear_exception(jni);
  }
  jvmti_ = jvmti;
  return "";
}

std::string ObjectText::field_text(JNIEnv* jni, jobject object, jfieldID field,
                                   std::size_t most) const {
  if (field == nullptr) return "";
  const LocalRef<jobject> value(jni, jni->GetObjectField(object, field));
  return value ? string_text(jni, static_cast<jstring>(value.get()), most) : "";
}

std::string ObjectText::type_name(jclass type) const {
  return type_name_of(ddm::text_of(ClassSignature(jvmti_, type)));
}

std::string ObjectText::hashed(jobject object, jclass type) const {
  jint hash = 0;
  jvmti_->GetObjectHashCode(object, &hash);
  return fmt::format("{}@{:x}", type_name(type), static_cast<std::uint32_t>(hash));
}

std::optional<std::string> ObjectText::own_text(JNIEnv* jni, jobject object, jclass type,
                                                std::size_t most) const {
  if (jni->IsSameObject(type, string_)) {
    return string_text(jni, static_cast<jstring>(object), most);
  }
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    const Box& box = boxes_[i];
    if (box.value == nullptr || !jni->IsSameObject(type, box.type)) continue;
    return kPrimitives[i].field(jni, object, box.value, kPrimitives[i].kind[0]);
  }
  if (enum_name_ != nullptr && jni->IsInstanceOf(object, enum_)) {
    return field_text(jni, object, enum_name_, most);
  }
  if (!jni->IsInstanceOf(object, throwable_)) return {};
  const std::string message = field_text(jni, object, message_, most);
  return type_name(type) + (message.empty() ? "" : ": " + message);
}

// One value with the fields of objects. It reads no more of them than its text has characters.
class ObjectText::Unfolding {
 public:
  Unfolding(const ObjectText& texts, JNIEnv* jni) : texts_(texts), jni_(jni) {}

  std::string text_of(jobject object, jclass type, int depth) {
    add_object(object, type, depth);
    return std::move(text_) + (full_ ? "..." : "");
  }

 private:
  // Whole characters only.
  void add(std::string_view more) {
    for (const char c : more) {
      if (!is_continuation(c)) {
        if (characters_ == most(1)) full_ = true;
        ++characters_;
      }
      if (full_) return;
      text_ += c;
    }
  }

  // Before each field or element. False: there is no room for it.
  bool next(std::size_t number) {
    if (number > 0) add(", ");
    if (number == kMostParts) add("...");
    return !full_ && number < kMostParts;
  }

  void add_value(jobject value, int depth) {
    if (value == nullptr) return add("null");
    const LocalRef<jclass> type(jni_, jni_->GetObjectClass(value));
    if (const auto text = texts_.own_text(jni_, value, type.get(), kMostText)) {
      return add(jni_->IsSameObject(type.get(), texts_.string_) ? quoted(*text) : *text);
    }
    add_object(value, type.get(), depth);
  }

  void add_object(jobject object, jclass type, int depth) {
    const bool is_within_itself = std::ranges::any_of(
        above_, [&](jobject one) { return jni_->IsSameObject(one, object) != JNI_FALSE; });
    if (depth == 0 || is_within_itself) return add(texts_.hashed(object, type));
    above_.push_back(object);
    const ClassSignature signature(texts_.jvmti_, type);
    if (ddm::text_of(signature).starts_with('[')) {
      add_elements(static_cast<jobjectArray>(object), ddm::text_of(signature), depth);
    } else {
      add(texts_.hashed(object, type) + "{");
      add_fields(object, type, depth);
    }
    add("}");
    above_.pop_back();
  }

  void add_elements(jobjectArray array, std::string_view signature, int depth) {
    const jsize length = jni_->GetArrayLength(array);
    std::string name = type_name_of(signature);
    name.insert(std::min(name.find('[') + 1, name.size()), std::to_string(length));
    add(name + "{");
    const Primitive* const primitive = primitive_of(signature.substr(1));
    for (jsize i = 0; i < length && next(static_cast<std::size_t>(i)); ++i) {
      if (primitive != nullptr) {
        add(primitive->element(jni_, array, i, primitive->kind[0]));
      } else {
        const LocalRef<jobject> value(jni_, jni_->GetObjectArrayElement(array, i));
        clear_exception(jni_);
        add_value(value.get(), depth - 1);
      }
    }
  }

  void add_fields(jobject object, jclass type, int depth) {
    std::size_t number = 0;
    std::optional<LocalRef<jclass>> upper;
    for (jclass of = type; of != nullptr; of = upper->get()) {
      if (!add_own_fields(object, of, depth, number)) return;
      upper.emplace(jni_, jni_->GetSuperclass(of));
    }
  }

  // Those that this class declares. False: there is no room for more.
  bool add_own_fields(jobject object, jclass type, int depth, std::size_t& number) {
    jvmtiEnv* const jvmti = texts_.jvmti_;
    jint count = 0;
    JvmtiPtr<jfieldID> fields(jvmti);
    if (jvmti->GetClassFields(type, &count, fields.out()) != JVMTI_ERROR_NONE) return true;
    for (jint i = 0; i < count; ++i) {
      jint modifiers = 0;
      JvmtiPtr<char> name(jvmti), signature(jvmti);
      if (jvmti->GetFieldModifiers(type, fields[i], &modifiers) != JVMTI_ERROR_NONE ||
          (modifiers & kStatic) != 0 ||
          jvmti->GetFieldName(type, fields[i], name.out(), signature.out(), nullptr) !=
              JVMTI_ERROR_NONE) {
        continue;
      }
      if (!next(number++)) return false;
      add(utf8_of(ddm::text_of(name)) + "=");
      if (const auto* primitive = primitive_of(ddm::text_of(signature))) {
        add(primitive->field(jni_, object, fields[i], primitive->kind[0]));
      } else {
        const LocalRef<jobject> value(jni_, jni_->GetObjectField(object, fields[i]));
        clear_exception(jni_);
        add_value(value.get(), depth - 1);
      }
    }
    return true;
  }

  const ObjectText& texts_;
  JNIEnv* const jni_;
  std::string text_;
  std::size_t characters_ = 0;
  bool full_ = false;           // there was more than fits
  std::vector<jobject> above_;  // those that are being unfolded, one in the other
};

std::string ObjectText::text_of(JNIEnv* jni, jobject object, int depth) const {
  if (object == nullptr) return "null";
  const LocalRef<jclass> type(jni, jni->GetObjectClass(object));
  if (auto text = own_text(jni, object, type.get(), most(depth))) return std::move(*text);
  if (depth == 0) return hashed(object, type.get());
  constexpr jint kMostReferences = 32;  // six levels of an object, its class and a superclass
  const LocalFrame frame(jni, kMostReferences);
  return frame.good() ? Unfolding(*this, jni).text_of(object, type.get(), depth)
                      : hashed(object, type.get());
}

}  // namespace ddm
