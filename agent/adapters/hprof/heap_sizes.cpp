#include "adapters/hprof/heap_sizes.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "vm/jvmti_environment.h"
#include "vm/jvmti_memory.h"
#include "vm/vm_flags.h"

namespace ddm {
namespace {

// 0: unknown.
jlong size_of(jvmtiEnv* jvmti, JNIEnv* jni, jobject array) {
  const LocalRef<jobject> owned(jni, array);
  jlong size = 0;
  if (clear_exception(jni) || !owned ||
      jvmti->GetObjectSize(owned.get(), &size) != JVMTI_ERROR_NONE) {
    return 0;
  }
  return size;
}

// The offset of the elements: from the first array that is larger than the empty one.
template <typename Make>
std::uint32_t begin_of(jvmtiEnv* jvmti, JNIEnv* jni, std::uint32_t element_bytes, Make make) {
  constexpr jsize kMost = 64;
  const jlong empty = size_of(jvmti, jni, make(0));
  for (jsize n = 1; empty > 0 && n <= kMost; ++n) {
    if (size_of(jvmti, jni, make(n)) > empty) {
      return static_cast<std::uint32_t>(empty - (n - 1) * static_cast<jlong>(element_bytes));
    }
  }
  return 16;
}

// By the class's tag. All instances of a class have one size.
jint JNICALL note_size(jlong class_tag, jlong size, jlong*, jint length, void* sizes) {
  auto& all = *static_cast<std::vector<std::uint32_t>*>(sizes);
  if (length < 0 && class_tag > 0 && static_cast<std::size_t>(class_tag) < all.size()) {
    all[static_cast<std::size_t>(class_tag)] = static_cast<std::uint32_t>(size);
  }
  return 0;
}

// As the VM's dumps name classes: "a/B", a hidden one "a/B+0x12". "" for arrays.
std::string dump_name_of(std::string_view signature) {
  if (signature.size() < 3 || signature.front() != 'L') return "";
  std::string name(signature.substr(1, signature.size() - 2));
  std::ranges::replace(name, '.', '+');
  return name;
}

void measure_instances(JNIEnv* jni, HprofHeapSizes& sizes) {
  const JvmtiEnvironment own = make_jvmti_environment(jni);  // with private tags
  if (own == nullptr) return;
  jvmtiEnv* const jvmti = own.get();
  jvmtiCapabilities wanted{};
  wanted.can_tag_objects = 1;
  if (jvmti->AddCapabilities(&wanted) != JVMTI_ERROR_NONE) return;
  jint count = 0;
  JvmtiPtr<jclass> classes(jvmti);
  if (jvmti->GetLoadedClasses(&count, classes.out()) != JVMTI_ERROR_NONE) return;
  std::vector<std::string> names(static_cast<std::size_t>(count) + 1);
  for (jint i = 0; i < count; ++i) {
    const LocalRef<jclass> type(jni, classes[i]);
    std::string name = dump_name_of(text_of(ClassSignature(jvmti, type.get())));
    if (name.empty() || jvmti->SetTag(type.get(), i + 1) != JVMTI_ERROR_NONE) continue;
    names[static_cast<std::size_t>(i) + 1] = std::move(name);
  }
  std::vector<std::uint32_t> found(names.size());
  jvmtiHeapCallbacks callbacks{};
  callbacks.heap_iteration_callback = note_size;
  if (jvmti->IterateThroughHeap(JVMTI_HEAP_FILTER_CLASS_UNTAGGED, nullptr, &callbacks, &found) !=
      JVMTI_ERROR_NONE) {
    return;
  }
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (found[i] != 0) sizes.instances.emplace(std::move(names[i]), found[i]);
  }
}

}  // namespace

HprofHeapSizes measure_heap_sizes(jvmtiEnv* jvmti, JNIEnv* jni) {
  HprofHeapSizes sizes;
  measure_instances(jni, sizes);
  sizes.alignment =
      static_cast<std::uint32_t>(vm_flags::integer("ObjectAlignmentInBytes").value_or(8));
  sizes.reference_bytes = vm_flags::boolean("UseCompressedOops").value_or(true) ? 4 : 8;
  const LocalRef<jclass> object(jni, jni->FindClass("java/lang/Object"));
  if (clear_exception(jni) || !object) return sizes;
  const auto references = [&](jsize n) { return jni->NewObjectArray(n, object.get(), nullptr); };
  sizes.begin[2] = begin_of(jvmti, jni, sizes.reference_bytes, references);
  sizes.begin[4] = sizes.begin[8] =
      begin_of(jvmti, jni, 1, [jni](jsize n) { return jni->NewByteArray(n); });
  sizes.begin[5] = sizes.begin[9] =
      begin_of(jvmti, jni, 2, [jni](jsize n) { return jni->NewCharArray(n); });
  sizes.begin[6] = sizes.begin[10] =
      begin_of(jvmti, jni, 4, [jni](jsize n) { return jni->NewIntArray(n); });
  sizes.begin[7] = sizes.begin[11] =
      begin_of(jvmti, jni, 8, [jni](jsize n) { return jni->NewLongArray(n); });
  return sizes;
}

}  // namespace ddm
