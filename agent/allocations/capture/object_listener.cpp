#include "allocations/capture/object_listener.h"

#include <algorithm>
#include <iterator>
#include <new>

#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

// Limit of queued objects: nested constructors, and objects that nothing has reported as complete.
constexpr std::uint32_t kMostWaiting = 256;

struct WaitingObjects {
  struct One {
    jobject reference;  // global
    std::int64_t size;
  };
  One objects[kMostWaiting];
  std::uint32_t count;
  bool notifying;  // the listener runs
};

// Allocated by a thread's first object while there is a listener; not in the thread-local block, of
// which the loader reserves a few hundred bytes for all late libraries.
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

void ObjectListener::notify(JNIEnv* jni, jobject object, std::int64_t size) noexcept {
  if (!on()) return;
  t_waiting->notifying = true;
  jni->CallStaticVoidMethod(class_, method_, object, static_cast<jlong>(size));
  clear_exception(jni);
  t_waiting->notifying = false;
}

void ObjectListener::allocated(JNIEnv* jni, jobject object, std::int64_t size,
                               bool in_constructor) noexcept {
  if (t_waiting == nullptr) t_waiting = new (std::nothrow) WaitingObjects{};
  if (object == nullptr || t_waiting == nullptr || t_waiting->notifying) return;
  WaitingObjects& waiting = *t_waiting;
  if (!in_constructor) return notify(jni, object, size);
  if (waiting.count == kMostWaiting) {
    const WaitingObjects::One oldest = waiting.objects[0];
    std::copy(std::begin(waiting.objects) + 1, std::end(waiting.objects), waiting.objects);
    --waiting.count;
    notify(jni, oldest.reference, oldest.size);
    jni->DeleteGlobalRef(oldest.reference);
  }
  const jobject reference = jni->NewGlobalRef(object);
  if (reference == nullptr) return;
  waiting.objects[waiting.count++] = {reference, size};
}

void ObjectListener::notify_from(JNIEnv* jni, std::uint32_t first) noexcept {
  WaitingObjects& waiting = *t_waiting;
  for (std::uint32_t i = first; i < waiting.count; ++i) {
    const WaitingObjects::One one = waiting.objects[i];
    notify(jni, one.reference, one.size);
    jni->DeleteGlobalRef(one.reference);
  }
  waiting.count = first;
}

void ObjectListener::constructed(JNIEnv* jni, jobject object) noexcept {
  if (object == nullptr || t_waiting == nullptr || t_waiting->notifying) return;
  const WaitingObjects& waiting = *t_waiting;
  for (std::uint32_t i = waiting.count; i > 0; --i) {
    // Objects begun inside its constructor are complete, too.
    if (jni->IsSameObject(waiting.objects[i - 1].reference, object)) return notify_from(jni, i - 1);
  }
}

void ObjectListener::settle(JNIEnv* jni) noexcept {
  if (t_waiting == nullptr || t_waiting->notifying) return;
  notify_from(jni, 0);
  delete t_waiting;
  t_waiting = nullptr;
}

}  // namespace ddm
