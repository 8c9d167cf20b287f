#include "jvm/hooked_classes.h"

#include <functional>

#include "jvm/jvmti_memory.h"
#include "records/name_table.h"

namespace ddm {
namespace {

// Classes that are defined and never linked stay here. With more of them than this all are
// forgotten: each class forgotten is looked at once in vain.
constexpr std::size_t kMostKeys = 100'000;

}  // namespace

std::uint64_t HookedClasses::key_of(std::string_view internal_name, jobject loader) const {
  jint loader_hash = 0;
  if (loader != nullptr) jvmti_->GetObjectHashCode(loader, &loader_hash);
  return std::hash<std::string_view>{}(internal_name) ^
         static_cast<std::uint32_t>(loader_hash) * 0x9E3779B97F4A7C15ull;
}

void HookedClasses::add(std::string_view internal_name, jobject loader) {
  const std::uint64_t key = key_of(internal_name, loader);
  const std::lock_guard lock(mutex_);
  if (keys_.size() >= kMostKeys) keys_.clear();
  keys_.insert(key);
}

bool HookedClasses::take(JNIEnv* jni, jclass klass) {
  JvmtiPtr<char> signature(jvmti_);
  LocalRef<jobject> loader(jni, nullptr);
  if (jvmti_->GetClassSignature(klass, signature.out(), nullptr) != JVMTI_ERROR_NONE ||
      jvmti_->GetClassLoader(klass, loader.out()) != JVMTI_ERROR_NONE) {
    return false;
  }
  const std::uint64_t key = key_of(internal_name_of(text_of(signature)), loader.get());
  const std::lock_guard lock(mutex_);
  return keys_.erase(key) > 0;
}

}  // namespace ddm
