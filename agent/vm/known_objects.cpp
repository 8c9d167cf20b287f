#include "vm/known_objects.h"

#include <vector>

#include "vm/claims_between_pauses.h"
#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

constexpr jsize kLengths[] = {0, 3, 37};

std::uintptr_t address_in(jobject handle) {
  return read_own<std::uintptr_t>(reinterpret_cast<std::uintptr_t>(handle)).value_or(0);
}

}  // namespace

std::string wrong_in_layout(jvmtiEnv* jvmti, JNIEnv* jni, const ObjectLayout& objects,
                            const KlassLayout& klasses, const HeapPauses* pauses) {
  const LocalFrame frame(jni, 32);
  if (!frame.good()) return "memory for references";
  const jclass object_class = jni->FindClass("java/lang/Object");
  if (clear_exception(jni) || object_class == nullptr) return "java.lang.Object";
  std::vector<std::pair<jobject, std::int64_t>> made;  // with the lengths of arrays
  made.emplace_back(jni->AllocObject(object_class), -1);
  made.emplace_back(jni->NewStringUTF("ddmagent"), -1);
  for (const jsize length : kLengths) {
    made.emplace_back(jni->NewByteArray(length), length);
    made.emplace_back(jni->NewLongArray(length), length);
    made.emplace_back(jni->NewObjectArray(length, object_class, nullptr), length);
  }
  if (clear_exception(jni)) return "memory for objects";
  std::vector<KnownObject> known;
  std::vector<jclass> classes;
  for (const auto& [object, length] : made) {
    jlong size = 0;
    if (jvmti->GetObjectSize(object, &size) != JVMTI_ERROR_NONE) return "GetObjectSize";
    known.push_back({0, 0, size, length});
    classes.push_back(jni->GetObjectClass(object));
  }
  return wrong_between_pauses(jni, [&](VmClaims& claims) {
    const std::uint64_t pause = pauses != nullptr ? pauses->number() : 0;
    for (std::size_t i = 0; i < known.size(); ++i) {
      known[i].object = address_in(made[i].first);
      known[i].mirror = address_in(classes[i]);
    }
    expect_objects(claims, objects, klasses, known);
    if (pauses != nullptr) {
      claims.expect(pause % 2 == 0 && pauses->number() == pause, "collector");
    }
  });
}

}  // namespace ddm
