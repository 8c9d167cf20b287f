#include "probes/object_paths.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "core/class_names.h"
#include "core/utf16.h"
#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

constexpr jint kStaticField = 0x0008;
constexpr std::string_view kStringSignature = "Ljava/lang/String;";
constexpr std::string_view kCharacterSignature = "Ljava/lang/Character;";
constexpr std::string_view kEnumSignature = "Ljava/lang/Enum;";
constexpr std::string_view kNumberBoxes[] = {
    "Ljava/lang/Integer;", "Ljava/lang/Long;",  "Ljava/lang/Boolean;", "Ljava/lang/Double;",
    "Ljava/lang/Float;",   kCharacterSignature, "Ljava/lang/Short;",   "Ljava/lang/Byte;"};

// Numbers of Java are exact in it: the mantissa has at least 64 bits.
using ExactNumber = long double;

bool compare_exactly(ExactNumber left, bci::Relation relation, ExactNumber right) {
  switch (relation) {
    case bci::Relation::kEqual:
      return left == right;
    case bci::Relation::kNotEqual:
      return left != right;
    case bci::Relation::kLess:
      return left < right;
    case bci::Relation::kLessOrEqual:
      return left <= right;
    case bci::Relation::kGreater:
      return left > right;
    default:
      return left >= right;
  }
}

template <typename Array, typename T>
T array_element(JNIEnv* jni, jobject array, jint index,
                void (JNIEnv::*get)(Array, jsize, jsize, T*)) {
  T value{};
  (jni->*get)(static_cast<Array>(array), index, 1, &value);
  return value;
}

}  // namespace

// With the first comparison the cost of a step is measured.
ObjectPaths::ObjectPaths() {
  number_.purpose = Purpose::kNumber;
  text_.purpose = Purpose::kText;
  ProbeComparison measured;
  measured.right = std::int64_t{-1};
  measured.steps = {{.field = "tid", .index = -1}};  // as nobody writes it
  number(measured);
}

bool ObjectPaths::number(ProbeComparison& comparison) {
  if (comparison.steps.empty()) return true;
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find_if(all_, [&](const auto& one) {
    return one->wanted.steps == comparison.steps && one->wanted.relation == comparison.relation &&
           one->wanted.right == comparison.right;
  });
  comparison.path = static_cast<std::int32_t>(known - all_.begin());
  if (known != all_.end()) {
    for (const auto& step : (*known)->steps) step->odd.store(nullptr);
    (*known)->odd.store(nullptr);
    (*known)->fitted.store(false);
    return true;
  }
  if (all_.size() == kMostComparisons) return false;
  auto made = std::make_unique<Comparison>();
  for (const PathStep& wanted : comparison.steps) {
    auto& step = *made->steps.emplace_back(std::make_unique<Step>());
    step.purpose = wanted.field.empty() ? Purpose::kElement : Purpose::kField;
    step.field = wanted.field;
  }
  made->wanted = comparison;
  if (const auto* text = std::get_if<std::string>(&comparison.right)) made->text = to_utf16(*text);
  comparisons_[all_.size()].store(made.get(), std::memory_order_release);
  all_.push_back(std::move(made));
  return true;
}

std::set<std::string> ObjectPaths::notes(std::int32_t number) const {
  const std::lock_guard lock(mutex_);
  // 0 is what is measured.
  if (number <= 0 || static_cast<std::size_t>(number) >= all_.size()) return {};
  std::set<std::string> result;
  const Comparison& comparison = *all_[static_cast<std::size_t>(number)];
  for (std::size_t i = 0; i < comparison.steps.size(); ++i) {
    if (const Way* const way = comparison.steps[i]->odd.load(std::memory_order_acquire)) {
      result.insert(note_of_step(comparison, i, *way));
    }
  }
  const Way* const odd = comparison.odd.load(std::memory_order_acquire);
  if (odd != nullptr && !comparison.fitted.load()) {
    result.insert(odd->what == What::kMissing
                      ? note_of_value(comparison, *odd)
                      : note_of_step(comparison, comparison.steps.size() - 1, *odd));
  }
  return result;
}

void ObjectPaths::note(std::atomic<const Way*>& odd, const Way* way) {
  if (way != nullptr && odd.load(std::memory_order_relaxed) == nullptr) {
    odd.store(way, std::memory_order_release);
  }
}

void ObjectPaths::note_kind(const Comparison& comparison, const Value& value, bool fits) {
  if (!fits) return note(comparison.odd, value.way);
  if (!comparison.fitted.load(std::memory_order_relaxed)) comparison.fitted.store(true);
}

// What it leads to is missing, or is a number that goes no further or is not compared so.
std::string ObjectPaths::note_of_step(const Comparison& comparison, std::size_t at,
                                      const Way& way) {
  const Step& step = *comparison.steps[at];
  if (way.what == What::kMissing && step.purpose == Purpose::kElement) {
    return way.class_name + " is no array: comparisons with its elements do not hold";
  }
  if (way.what == What::kMissing) {
    return way.class_name + " has no field '" + step.field +
           "': comparisons with it do not hold there";
  }
  std::string text = step.purpose == Purpose::kElement ? "an element of " + way.class_name
                     : way.what == What::kField ? way.class_name + "'s field '" + step.field + "'"
                                                : "the length of " + way.class_name;
  const char type = way.what == What::kField || way.what == What::kElement ? way.type : 'I';
  text += " is of type " + type_name_of({&type, 1});
  if (at + 1 < comparison.steps.size()) {
    const bool to_element = comparison.steps[at + 1]->purpose == Purpose::kElement;
    return text + (to_element ? ": it has no elements" : ": it has no fields");
  }
  if (std::holds_alternative<std::nullptr_t>(comparison.wanted.right)) {
    return text + ": it is not compared with null";
  }
  return text + (type == 'C' ? ": it is compared with a text of one character only"
                             : ": it is not compared with a text");
}

std::string ObjectPaths::note_of_value(const Comparison& comparison, const Way& way) {
  const PathStep& last = comparison.wanted.steps.back();
  return (last.field.empty() ? "an element [" + std::to_string(last.index) + "]"
                             : "a value of '" + last.field + "'") +
         " is of type " + way.class_name +
         (std::holds_alternative<std::string>(comparison.wanted.right)
              ? ": it is equal to no text"
              : ": it is not compared with a number");
}

bool ObjectPaths::holds(JNIEnv* jni, jobject from, std::int32_t number) noexcept {
  if (number < 0 || static_cast<std::size_t>(number) >= kMostComparisons) return false;
  const Comparison* const comparison =
      comparisons_[static_cast<std::size_t>(number)].load(std::memory_order_acquire);
  if (comparison == nullptr || jvmti_.load(std::memory_order_acquire) == nullptr) return false;
  try {
    return compare(jni, *comparison, from);
  } catch (const std::exception&) {  // no memory
    return false;
  }
}

bool ObjectPaths::compare(JNIEnv* jni, const Comparison& comparison, jobject from) {
  // Frees the object before the one that a step has just read.
  std::optional<LocalRef<jobject>> kept[2];
  jobject object = from;
  Value value;
  for (std::size_t i = 0; i < comparison.steps.size(); ++i) {
    if (object == nullptr) return false;
    Step& step = *comparison.steps[i];
    value = read(jni, object, step, comparison.wanted.steps[i].index);
    object = value.object;
    kept[i % 2].emplace(jni, object);
    const bool is_missing = value.way != nullptr && value.way->what == What::kMissing;
    const bool goes_on = i + 1 < comparison.steps.size();
    if (is_missing || (goes_on && value.is_number())) note(step.odd, value.way);
  }
  if (value.type == 'L') return compare_object(jni, comparison, value.object);
  return value.is_number() && compare_number(value, comparison);
}

// With a number; a char with a text of one character, too.
bool ObjectPaths::compare_number(const Value& number, const Comparison& comparison) {
  const ProbeComparison& wanted = comparison.wanted;
  const auto* const whole = std::get_if<std::int64_t>(&wanted.right);
  const auto* const real = std::get_if<double>(&wanted.right);
  const bool is_letter = number.type == 'C' && comparison.text.size() == 1;
  const bool fits = number.is_number() && (whole != nullptr || real != nullptr || is_letter);
  note_kind(comparison, number, fits);
  if (!fits) return false;
  const ExactNumber right = whole != nullptr  ? static_cast<ExactNumber>(*whole)
                            : real != nullptr ? *real
                                              : comparison.text[0];
  return compare_exactly(number.type == 'D' ? number.real : static_cast<ExactNumber>(number.whole),
                         wanted.relation, right);
}

bool ObjectPaths::compare_object(JNIEnv* jni, const Comparison& comparison, jobject object) {
  const ProbeComparison& wanted = comparison.wanted;
  const bool equal = wanted.relation == bci::Relation::kEqual;
  if (std::holds_alternative<std::nullptr_t>(wanted.right)) return (object == nullptr) == equal;
  const bool is_text = std::holds_alternative<std::string>(wanted.right);
  if (object == nullptr) return is_text && !equal;
  const Value found = read(jni, object, is_text ? text_ : number_, 0);
  if (!is_text) return compare_number(found, comparison);
  note_kind(comparison, found, found.type != 'V');
  return has_text(jni, found, comparison.text) == equal;
}

// Frees the String that the value is.
bool ObjectPaths::has_text(JNIEnv* jni, const Value& value, const std::u16string& text) {
  if (value.type == 'C') return text.size() == 1 && text[0] == value.whole;
  const LocalRef<jstring> string(jni, static_cast<jstring>(value.object));
  if (!string || jni->GetStringLength(string.get()) != static_cast<jsize>(text.size()))
    return false;
  char16_t units[128];
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t count = std::min(text.size() - at, std::size(units));
    jni->GetStringRegion(string.get(), static_cast<jsize>(at), static_cast<jsize>(count),
                         reinterpret_cast<jchar*>(units));
    if (text.compare(at, count, units, count) != 0) return false;
    at += count;
  }
  return true;
}

ObjectPaths::Value ObjectPaths::read(JNIEnv* jni, jobject object, Step& step, std::int32_t index) {
  const LocalRef<jclass> klass(jni, jni->GetObjectClass(object));
  Way made;
  const Way& way = way_of(jni, klass.get(), step, made);
  Value value = value_of(jni, object, way, index);
  if (&way != &made) value.way = &way;
  return value;
}

ObjectPaths::Value ObjectPaths::value_of(JNIEnv* jni, jobject object, const Way& way,
                                         std::int32_t index) {
  const auto whole = [](std::int64_t value) { return Value{.type = 'J', .whole = value}; };
  const auto letter = [](std::int64_t value) { return Value{.type = 'C', .whole = value}; };
  const auto real = [](double value) { return Value{.type = 'D', .real = value}; };
  const auto reference = [](jobject value) { return Value{.type = 'L', .object = value}; };
  switch (way.what) {
    case What::kMissing:
      return {};
    case What::kSelf:
      return reference(jni->NewLocalRef(object));
    case What::kTextLength:
      return whole(jni->GetStringLength(static_cast<jstring>(object)));
    case What::kLength:
      return whole(jni->GetArrayLength(static_cast<jarray>(object)));
    case What::kElement:
      if (index >= jni->GetArrayLength(static_cast<jarray>(object))) return {};
      switch (way.type) {
        case 'Z':
          return whole(array_element(jni, object, index, &JNIEnv::GetBooleanArrayRegion));
        case 'B':
          return whole(array_element(jni, object, index, &JNIEnv::GetByteArrayRegion));
        case 'C':
          return letter(array_element(jni, object, index, &JNIEnv::GetCharArrayRegion));
        case 'S':
          return whole(array_element(jni, object, index, &JNIEnv::GetShortArrayRegion));
        case 'I':
          return whole(array_element(jni, object, index, &JNIEnv::GetIntArrayRegion));
        case 'J':
          return whole(array_element(jni, object, index, &JNIEnv::GetLongArrayRegion));
        case 'F':
          return real(array_element(jni, object, index, &JNIEnv::GetFloatArrayRegion));
        case 'D':
          return real(array_element(jni, object, index, &JNIEnv::GetDoubleArrayRegion));
        default:
          return reference(jni->GetObjectArrayElement(static_cast<jobjectArray>(object), index));
      }
    case What::kField:
      switch (way.type) {
        case 'Z':
          return whole(jni->GetBooleanField(object, way.field));
        case 'B':
          return whole(jni->GetByteField(object, way.field));
        case 'C':
          return letter(jni->GetCharField(object, way.field));
        case 'S':
          return whole(jni->GetShortField(object, way.field));
        case 'I':
          return whole(jni->GetIntField(object, way.field));
        case 'J':
          return whole(jni->GetLongField(object, way.field));
        case 'F':
          return real(jni->GetFloatField(object, way.field));
        case 'D':
          return real(jni->GetDoubleField(object, way.field));
        default:
          return reference(jni->GetObjectField(object, way.field));
      }
  }
  return {};
}

// The way for objects of that class; `made` holds it if it cannot be kept.
const ObjectPaths::Way& ObjectPaths::way_of(JNIEnv* jni, jclass klass, Step& step, Way& made) {
  const Way* const first = step.first.load(std::memory_order_acquire);
  if (first != nullptr && jni->IsSameObject(first->of, klass)) return *first;
  jint hash = 0;
  jvmti_.load(std::memory_order_relaxed)->GetObjectHashCode(klass, &hash);
  std::atomic<const Way*>& bucket = step.ways[static_cast<std::uint32_t>(hash) % kBuckets];
  const Way* head = bucket.load(std::memory_order_acquire);
  for (const Way* way = head; way != nullptr; way = way->next) {
    if (jni->IsSameObject(way->of, klass)) return *way;
  }
  made = find(jni, klass, step);
  if (step.count.fetch_add(1, std::memory_order_relaxed) >= kMostClasses) {
    step.count.store(kMostClasses, std::memory_order_relaxed);
    return made;
  }
  made.of = jni->NewWeakGlobalRef(klass);
  if (made.of == nullptr) {
    clear_exception(jni);
    return made;
  }
  Way* const kept = new Way(made);
  do {
    kept->next = head;
  } while (!bucket.compare_exchange_weak(head, kept, std::memory_order_acq_rel));
  const Way* none = nullptr;
  step.first.compare_exchange_strong(none, kept, std::memory_order_acq_rel);
  return *kept;
}

ObjectPaths::Way ObjectPaths::find(JNIEnv* jni, jclass klass, const Step& step) const {
  const ClassSignature signature(jvmti_.load(std::memory_order_relaxed), klass);
  const std::string_view type = text_of(signature);
  Way way;
  way.class_name = type_name_of(type);
  if (step.purpose == Purpose::kElement) {
    if (type.size() > 1 && type[0] == '[') {
      way.what = What::kElement;
      way.type = type[1];
    }
  } else if (step.purpose == Purpose::kNumber) {
    if (std::ranges::find(kNumberBoxes, type) != std::end(kNumberBoxes))
      find_field(jni, klass, "value", way);
  } else if (step.purpose == Purpose::kText && type == kStringSignature) {
    way.what = What::kSelf;
  } else if (step.purpose == Purpose::kText && type == kCharacterSignature) {
    find_field(jni, klass, "value", way);
  } else if (step.field == "length" && type.starts_with('[')) {
    way.what = What::kLength;
  } else if (step.field == "length" && type == kStringSignature) {
    way.what = What::kTextLength;
  } else if (step.purpose == Purpose::kText) {
    find_field(jni, klass, "name", way, kEnumSignature);
  } else {
    find_field(jni, klass, step.field, way);
  }
  return way;
}

// The field of the class, or else of its nearest superclass that has one; of `owner` alone unless
// that is "". Static ones are left out.
void ObjectPaths::find_field(JNIEnv* jni, jclass klass, std::string_view name, Way& way,
                             std::string_view owner) const {
  jvmtiEnv* const jvmti = jvmti_.load(std::memory_order_relaxed);
  LocalRef<jclass> next(jni, nullptr);
  for (jclass of = klass; of != nullptr; of = next.get()) {
    jint count = 0;
    JvmtiPtr<jfieldID> fields(jvmti);
    const bool asked = owner.empty() || text_of(ClassSignature(jvmti, of)) == owner;
    if (asked && jvmti->GetClassFields(of, &count, fields.out()) != JVMTI_ERROR_NONE) count = 0;
    for (jint i = 0; i < count; ++i) {
      JvmtiPtr<char> field(jvmti), type(jvmti);
      jint access = 0;
      if (jvmti->GetFieldName(of, fields[i], field.out(), type.out(), nullptr) !=
              JVMTI_ERROR_NONE ||
          text_of(field) != name || text_of(type).empty() ||
          jvmti->GetFieldModifiers(of, fields[i], &access) != JVMTI_ERROR_NONE ||
          (access & kStaticField) != 0) {
        continue;
      }
      way.what = What::kField;
      way.type = text_of(type)[0];
      way.field = fields[i];
      return;
    }
    const jclass super = jni->GetSuperclass(of);
    if (next) jni->DeleteLocalRef(next.get());
    *next.out() = super;
  }
}

}  // namespace ddm
