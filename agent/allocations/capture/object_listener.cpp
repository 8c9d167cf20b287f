#include "allocations/capture/object_listener.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/log.h"
#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

// Limit of a thread's queued objects: nested constructors, and objects that nothing has reported as
// complete.
constexpr std::size_t kMostWaiting = 256;

// Of a platform thread. Allocated by its first object while there is a listener; not in the
// thread-local block, of which the loader reserves a few hundred bytes for all late libraries.
constinit thread_local ObjectListener::Waiting* t_waiting = nullptr;

}  // namespace

class ObjectListener::Own {
 public:
  Own(ObjectListener& of, JNIEnv* jni) : of_(of), id_(of.thread_.id(jni, nullptr)) {
    if (of.thread_.is_platform()) {
      if (t_waiting == nullptr) t_waiting = new Waiting;
      waiting_ = t_waiting;
      nested_ = std::exchange(waiting_->in_use, true);
    } else {
      is_virtual_ = true;
      const std::lock_guard lock(of.mutex_);
      waiting_ = &of.virtual_[id_];
      nested_ = std::exchange(waiting_->in_use, true);
    }
  }
  ~Own() {
    if (nested_) return;
    std::unique_lock lock(of_.mutex_, std::defer_lock);
    if (is_virtual_) lock.lock();
    waiting_->in_use = false;
    if (is_virtual_ && waiting_->objects.empty()) of_.virtual_.erase(id_);
  }
  Own(const Own&) = delete;
  Own& operator=(const Own&) = delete;

  bool nested() const { return nested_; }  // the listener runs on this thread
  std::vector<Queued>& objects() { return waiting_->objects; }
  std::vector<Queued> take_from(std::size_t first) {
    std::vector<Queued> taken(objects().begin() + static_cast<std::ptrdiff_t>(first),
                              objects().end());
    objects().resize(first);
    return taken;
  }

 private:
  ObjectListener& of_;
  const std::int64_t id_;
  bool is_virtual_ = false, nested_ = false;
  Waiting* waiting_ = nullptr;
};

std::string ObjectListener::start(JNIEnv* jni, jclass listener) {
  const jmethodID method = jni->GetStaticMethodID(listener, "allocated", "(Ljava/lang/Object;J)V");
  if (clear_exception(jni) || method == nullptr) return "the listener has no such method";
  const auto known = class_.load();
  if (known == nullptr || !jni->IsSameObject(known, listener)) {
    const auto global = static_cast<jclass>(jni->NewGlobalRef(listener));
    if (global == nullptr) return "no memory for the listener";
    if (on_.exchange(false)) {
      log_warn("the listeners of another class loader's jar are told of allocations no more");
    }
    method_ = method;
    class_ = global;
  }
  on_ = true;
  return "";
}

void ObjectListener::stop(JNIEnv* jni) {
  on_ = false;
  if (jni == nullptr) return;
  std::vector<Queued> dropped;
  {
    const std::lock_guard lock(mutex_);
    for (auto at = virtual_.begin(); at != virtual_.end();) {
      std::vector<Queued>& objects = at->second.objects;
      if (!at->second.in_use) dropped.insert(dropped.end(), objects.begin(), objects.end());
      at = at->second.in_use ? std::next(at) : virtual_.erase(at);
    }
  }
  for (const Queued& one : dropped) jni->DeleteGlobalRef(one.reference);
}

void ObjectListener::notify(JNIEnv* jni, jobject object, std::int64_t size) noexcept {
  if (!on()) return;
  jni->CallStaticVoidMethod(class_, method_, object, static_cast<jlong>(size));
  clear_exception(jni);
}

void ObjectListener::notify(JNIEnv* jni, const std::vector<Queued>& objects) noexcept {
  for (const Queued& one : objects) {
    notify(jni, one.reference, one.size);
    jni->DeleteGlobalRef(one.reference);
  }
}

std::vector<ObjectListener::Queued> ObjectListener::take_too_many() {
  const std::lock_guard lock(mutex_);
  if (virtual_.size() <= kMostVirtual) return {};
  const auto oldest =
      std::ranges::find_if(virtual_, [](const auto& one) { return !one.second.in_use; });
  if (oldest == virtual_.end()) return {};
  std::vector<Queued> taken = std::move(oldest->second.objects);
  virtual_.erase(oldest);
  return taken;
}

void ObjectListener::allocated(JNIEnv* jni, jobject object, std::int64_t size,
                               bool in_constructor) noexcept {
  if (object == nullptr) return;
  guarded("while an object was queued for a listener", [&] {
    Own own(*this, jni);
    if (own.nested()) return;
    if (!in_constructor) return notify(jni, object, size);
    std::vector<Queued>& objects = own.objects();
    objects.push_back({nullptr, size});  // first, since it may throw
    objects.back().reference = jni->NewGlobalRef(object);
    if (objects.back().reference == nullptr) return objects.pop_back();
    if (objects.size() > kMostWaiting) {
      const Queued oldest = objects.front();
      objects.erase(objects.begin());
      notify(jni, {oldest});
    }
    notify(jni, take_too_many());
  });
}

void ObjectListener::constructed(JNIEnv* jni, jobject object) noexcept {
  if (object == nullptr) return;
  guarded("while an object was completed for a listener", [&] {
    Own own(*this, jni);
    if (own.nested()) return;
    for (std::size_t i = own.objects().size(); i > 0; --i) {
      // Objects begun inside its constructor are complete, too.
      if (jni->IsSameObject(own.objects()[i - 1].reference, object)) {
        return notify(jni, own.take_from(i - 1));
      }
    }
  });
}

void ObjectListener::settle(JNIEnv* jni) noexcept {
  guarded("while objects were settled for a listener", [&] {
    Own own(*this, jni);
    if (!own.nested()) notify(jni, own.take_from(0));
  });
}

void ObjectListener::thread_ending(JNIEnv* jni) noexcept {
  if (t_waiting == nullptr) return;
  settle(jni);
  delete std::exchange(t_waiting, nullptr);
}

}  // namespace ddm
