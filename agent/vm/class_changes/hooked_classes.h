// The classes that have passed ClassFileLoadHook and are not linked yet, by name and loader: any
// other class that is being linked was parsed without the hook, before it was switched on, however
// long its definition took since (its superclass may come over a network). And whether the hook has
// changed them, and on which wish: classes that are not linked cannot be retransformed when the wish
// changes. Any attached thread.
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
    bool of_this_wish = false;  // nothing else has been wanted since
    bool changed = false;
  };

  explicit HookedClasses(jvmtiEnv* jvmti) : jvmti_(jvmti) {}

  // In the hook, for a class that is new: before anything is decided about it, and after that.
  Key add(std::string_view internal_name, jobject loader);
  void left_as_it_is(Key key);

  // Something else is wanted of classes from now on.
  void change_wish();

  // The class is linked. Nothing: it is not known here, which is certain of one that was not added.
  std::optional<Passage> take(JNIEnv* jni, jclass klass);
  // Forgets those that were left as they are. Whether there are others: classes that the hook has
  // changed, or is looking at.
  bool keep_changed();

 private:
  struct Passed {
    std::uint32_t wish = 0;
    bool changed = true;  // until left_as_it_is() says otherwise
  };

  Key key_of(std::string_view internal_name, jobject loader) const;
  void forget_unchanged();

  jvmtiEnv* const jvmti_;
  std::mutex mutex_;
  std::unordered_map<Key, Passed> passed_;
  std::uint32_t wish_ = 0;
};

}  // namespace ddm
