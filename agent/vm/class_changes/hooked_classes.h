// The classes that have passed ClassFileLoadHook and are not linked yet, by name and loader. A
// class that is linked and not found here was parsed before the hook was enabled, however long its
// definition took (its superclass may be loaded over a network). For each class: whether the hook
// changed it, and in which generation of the rewritings, since an unlinked class cannot be
// retransformed when they change. Any attached thread.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace ddm {

class HookedClasses {
 public:
  using Key = std::uint64_t;
  struct Passage {
    bool is_current = false;  // the rewritings have not changed since
    bool changed = false;
  };

  explicit HookedClasses(jvmtiEnv* jvmti) : jvmti_(jvmti) {}

  Key key_of(std::string_view internal_name, jobject loader) const;

  // In the hook of a new class: add() before it is decided whether to change it, then
  // mark_unchanged() if not.
  Key add(std::string_view internal_name, jobject loader);
  void mark_unchanged(Key key);

  // The rewritings have changed: starts a new generation.
  void begin_generation();

  // Call when the class is linked. nullopt: not found, which is certain for a class that was not
  // added.
  std::optional<Passage> take(JNIEnv* jni, jclass klass);
  // Drops the unchanged classes. Returns whether others remain: changed ones, or ones inside the
  // hook.
  bool keep_changed();

 private:
  struct Passed {
    std::uint32_t generation = 0;
    bool changed = true;  // until mark_unchanged()
  };

  void forget_unchanged();

  jvmtiEnv* const jvmti_;
  std::mutex mutex_;
  std::unordered_map<Key, Passed> passed_;
  std::uint32_t generation_ = 0;
};

}  // namespace ddm
