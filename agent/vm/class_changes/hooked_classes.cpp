#include "vm/class_changes/hooked_classes.h"

#include <functional>

#include "core/class_names.h"
#include "vm/jvmti_memory.h"

namespace ddm {

HookedClasses::Key HookedClasses::key_of(std::string_view internal_name, jobject loader) const {
  jint loader_hash = 0;
  if (loader != nullptr) jvmti_->GetObjectHashCode(loader, &loader_hash);
  return std::hash<std::string_view>{}(internal_name) ^
         static_cast<std::uint32_t>(loader_hash) * 0x9E3779B97F4A7C15ull;
}

HookedClasses::Key HookedClasses::add(std::string_view internal_name, jobject loader) {
  // Classes that are defined and never linked accumulate here. Above this number the unchanged ones
  // are dropped, which costs one superfluous check each; if that does not suffice, all are.
  constexpr std::size_t kMostPassed = 100'000;
  const Key key = key_of(internal_name, loader);
  const std::lock_guard lock(mutex_);
  if (passed_.size() >= kMostPassed) {
    forget_unchanged();
    if (passed_.size() >= kMostPassed / 2) passed_.clear();
  }
  passed_[key] = {generation_, true};
  return key;
}

void HookedClasses::mark_unchanged(Key key) {
  const std::lock_guard lock(mutex_);
  if (const auto at = passed_.find(key); at != passed_.end()) at->second.changed = false;
}

void HookedClasses::begin_generation() {
  const std::lock_guard lock(mutex_);
  ++generation_;
}

std::optional<HookedClasses::Passage> HookedClasses::take(JNIEnv* jni, jclass klass) {
  const ClassSignature signature(jvmti_, klass);
  LocalRef<jobject> loader(jni, nullptr);
  if (!signature || jvmti_->GetClassLoader(klass, loader.out()) != JVMTI_ERROR_NONE) return {};
  const Key key = key_of(internal_name_of(text_of(signature)), loader.get());
  const std::lock_guard lock(mutex_);
  const auto at = passed_.find(key);
  if (at == passed_.end()) return {};
  const Passage passage{at->second.generation == generation_, at->second.changed};
  passed_.erase(at);
  return passage;
}

bool HookedClasses::keep_changed() {
  const std::lock_guard lock(mutex_);
  forget_unchanged();
  return !passed_.empty();
}

// Lock held.
void HookedClasses::forget_unchanged() {
  std::erase_if(passed_, [](const auto& passed) { return !passed.second.changed; });
}

}  // namespace ddm
