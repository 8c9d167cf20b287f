#include "allocations/capture/object_listener.h"

#include <algorithm>
#include <iterator>
#include <new>

#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

// Constructors inside each other, and what nobody has said to be complete.
constexpr std::uint32_t kMostWaiting = 256;

struct WaitingObjects {
  struct One {
    jobject reference;  // global
    std::int64_t size;
  };
  One objects[kMostWaiting];
  std::uint32_t count;
  bool telling;  // the listener runs
};

// Of a thread that has made something while somebody listened; not in the thread-local block, where the
// loader has a few hundred bytes for all libraries that come late.
constinit thread_local WaitingObjects* t_waiting = nullptr;

}  // namespace

std::string ObjectListener::start(JNIEnv* jni, jclass listener) {
  const jmethodID method = jni->GetStaticMethodID(listener, "allocated", "(Ljava/lang/Object;J)V");
  if (clear_exception(jni) || method == nullptr) return "the listener has no such method";
  const auto known = class_.load();
  if (known == nullptr || !jni->IsSameObject(known, listener)) {
    const auto global = static_cast<jclass>(jni->NewGlobalRef(listener));
    if (global == nullptr) return "no memory for the listener";
    on_ = false;
    method_ = method;
    class_ = global;
  }
  on_ = true;
  return "";
}

void ObjectListener::tell(JNIEnv* jni, jobject object, std::int64_t size) noexcept {
  if (!on()) return;
  t_waiting->telling = true;
  jni->CallStaticVoidMethod(class_, method_, object, static_cast<jlong>(size));
  clear_exception(jni);
  t_waiting->telling = false;
}

void ObjectListener::allocated(JNIEnv* jni, jobject object, std::int64_t size,
                               bool in_constructor) noexcept {
  if (t_waiting == nullptr) t_waiting = new (std::nothrow) WaitingObjects{};
  if (object == nullptr || t_waiting == nullptr || t_waiting->telling) return;
  WaitingObjects& waiting = *t_waiting;
  if (!in_constructor) return tell(jni, object, size);
  if (waiting.count == kMostWaiting) {
    const WaitingObjects::One oldest = waiting.objects[0];
    std::copy(std::begin(waiting.objects) + 1, std::end(waiting.objects), waiting.objects);
    --waiting.count;
    tell(jni, oldest.reference, oldest.size);
    jni->DeleteGlobalRef(oldest.reference);
  }
  const jobject reference = jni->NewGlobalRef(object);
  if (reference == nullptr) return;
  waiting.objects[waiting.count++] = {reference, size};
}

void ObjectListener::tell_from(JNIEnv* jni, std::uint32_t first) noexcept {
  WaitingObjects& waiting = *t_waiting;
  for (std::uint32_t i = first; i < waiting.count; ++i) {
    const WaitingObjects::One one = waiting.objects[i];
    tell(jni, one.reference, one.size);
    jni->DeleteGlobalRef(one.reference);
  }
  waiting.count = first;
}

void ObjectListener::constructed(JNIEnv* jni, jobject object) noexcept {
  if (object == nullptr || t_waiting == nullptr || t_waiting->telling) return;
  const WaitingObjects& waiting = *t_waiting;
  for (std::uint32_t i = waiting.count; i > 0; --i) {
    // What began inside of its constructor is complete, too.
    if (jni->IsSameObject(waiting.objects[i - 1].reference, object)) return tell_from(jni, i - 1);
  }
}

void ObjectListener::settle(JNIEnv* jni) noexcept {
  if (t_waiting == nullptr || t_waiting->telling) return;
  tell_from(jni, 0);
  delete t_waiting;
  t_waiting = nullptr;
}

}  // namespace ddm
