#include "vm/agent_thread.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/log.h"
#include "vm/boot_class.h"
#include "vm/jvmti_error.h"
#include "vm/jvmti_memory.h"
#include "vm/own_threads.h"
#include "vm/thread_fields.h"

namespace ddm {
namespace {

// A new java.lang.Thread object with the name, not yet started, in the thread group of the current
// thread, but without its inheritable thread locals. Null on failure.
jobject new_thread_object(JNIEnv* jni, const std::string& name) {
  const LocalRef<jclass> thread_class(jni, jni->FindClass("java/lang/Thread"));
  if (!thread_class) return nullptr;
  const jmethodID constructor =
      jni->GetMethodID(thread_class.get(), "<init>",
                       "(Ljava/lang/ThreadGroup;Ljava/lang/Runnable;Ljava/lang/String;JZ)V");
  if (constructor == nullptr) return nullptr;
  const LocalRef<jstring> text(jni, jni->NewStringUTF(name.c_str()));
  if (!text) return nullptr;
  constexpr jobject kNone = nullptr;
  constexpr jlong kDefaultStackSize = 0;
  return jni->NewObject(thread_class.get(), constructor, kNone, kNone, text.get(),
                        kDefaultStackSize, JNI_FALSE);
}

// A thread inherits the context class loader of the one that creates it, and on 17 to 23 the
// protection domains of the methods that this one runs. Both are of whatever program happened to
// need the new thread first; its class loader could not be unloaded as long as the thread lives.
void release_creator(JNIEnv* jni, jobject thread) {
  // Null if a security manager of 17 to 23 refuses it.
  const LocalRef<jobject> loader(jni,
                                 static_object(jni, "java/lang/ClassLoader", "getSystemClassLoader",
                                               "()Ljava/lang/ClassLoader;"));
  const jfieldID context_loader =
      thread_field(jni, "contextClassLoader", "Ljava/lang/ClassLoader;");
  // The field, since the setter asks a security manager.
  if (loader && context_loader != nullptr) {
    jni->SetObjectField(thread, context_loader, loader.get());
  }
  // Once: where there is no such field, the VM makes an error with its backtrace each time.
  static const jfieldID domains =
      thread_field(jni, "inheritedAccessControlContext", "Ljava/security/AccessControlContext;");
  if (domains != nullptr) jni->SetObjectField(thread, domains, nullptr);
}

std::int64_t remember_as_own(JNIEnv* jni, jobject thread) {
  const jfieldID id = thread_field(jni, "tid", "J");
  if (id == nullptr) return 0;
  const std::int64_t java_id = jni->GetLongField(thread, id);
  add_own_thread(java_id);
  return java_id;
}

struct AllThreads {
  std::mutex mutex;
  std::vector<AgentThread*> threads;
};

// Never destroyed: a thread's object may outlive the static objects.
AllThreads& all_threads() {
  static auto& all = *new AllThreads();
  return all;
}

}  // namespace

AgentThread::AgentThread(jvmtiEnv* jvmti, std::string name, Runs runs)
    : jvmti_(jvmti), name_(std::move(name)), runs_(runs) {
  AllThreads& all = all_threads();
  const std::lock_guard lock(all.mutex);
  all.threads.push_back(this);
}

AgentThread::~AgentThread() {
  AllThreads& all = all_threads();
  const std::lock_guard lock(all.mutex);
  std::erase(all.threads, this);
}

void AgentThread::start_all_for_good(JNIEnv* jni) {
  std::vector<AgentThread*> threads;
  {
    AllThreads& all = all_threads();
    const std::lock_guard lock(all.mutex);
    threads = all.threads;
  }
  for (AgentThread* const thread : threads) {
    if (thread->runs_ != Runs::kAgent) continue;
    {
      const std::lock_guard lock(thread->mutex_);
      thread->ends_when_idle_ = false;
    }
    const std::string error = thread->start(jni);
    if (!error.empty()) log_error("thread {}: {}", thread->name_, error);
  }
}

std::string AgentThread::start(JNIEnv* jni) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(begun_, true)) return "";
  }
  std::string error = start_thread(jni);
  if (!error.empty()) {
    const std::lock_guard lock(mutex_);
    begun_ = false;
  }
  return error;
}

void AgentThread::Life::forget(JNIEnv* jni) const {
  if (own_id != 0) remove_own_thread(own_id);
  jni->DeleteGlobalRef(thread);
}

std::string AgentThread::start_thread(JNIEnv* jni) {
  const LocalRef<jobject> thread(jni, new_thread_object(jni, name_));
  if (clear_exception(jni) || !thread) return "cannot create a java.lang.Thread";
  release_creator(jni, thread.get());
  auto life = std::make_unique<Life>(Life{*this, jni->NewGlobalRef(thread.get()), 0});
  if (life->thread == nullptr) return "no memory for a reference";
  if (runs_ == Runs::kAgent) life->own_id = remember_as_own(jni, thread.get());
  {
    const std::lock_guard lock(mutex_);
    ++running_;
  }
  const jvmtiError error =
      jvmti_->RunAgentThread(thread.get(), run, life.get(), JVMTI_THREAD_NORM_PRIORITY);
  if (error == JVMTI_ERROR_NONE) {
    static_cast<void>(life.release());
    return "";
  }
  life->forget(jni);
  const std::lock_guard lock(mutex_);
  --running_;
  return jvmti_failure("RunAgentThread", error);
}

bool AgentThread::add(Task task) {
  if (stopped_) return false;
  if (tasks_.empty() && !busy_) since_ = Clock::now();
  tasks_.push_back(std::move(task));
  changed_.notify_all();
  if (on_post_) on_post_();
  return true;
}

bool AgentThread::post(Task task) {
  const std::lock_guard lock(mutex_);
  return (begun_ || !ends_when_idle_) && add(std::move(task));
}

std::string AgentThread::run_soon(JNIEnv* jni, Task task) {
  while (true) {
    std::string error = start(jni);
    if (!error.empty()) return error;
    const std::lock_guard lock(mutex_);
    if (!begun_ && !stopped_) continue;  // the idle thread ended meanwhile
    return add(std::move(task)) ? "" : "the program is ending";
  }
}

AgentThread::Load AgentThread::load() const {
  const std::lock_guard lock(mutex_);
  if (stopped_ || (!busy_ && tasks_.empty())) return {};
  const auto time =
      std::max<std::chrono::nanoseconds>(Clock::now() - since_, std::chrono::nanoseconds(1));
  return busy_ ? Load{{}, time} : Load{time, {}};
}

// Lock held.
void AgentThread::begin_task() {
  busy_ = true;
  since_ = Clock::now();
}

void AgentThread::task_ended() {
  const std::lock_guard lock(mutex_);
  busy_ = false;
  since_ = Clock::now();
  changed_.notify_all();
}

void AgentThread::every(std::chrono::milliseconds period, Task task) {
  const std::lock_guard lock(mutex_);
  period_ = period;
  periodic_ = std::move(task);
  next_due_ = Clock::now() + period_;
  changed_.notify_all();
}

bool AgentThread::stop(std::chrono::milliseconds patience) {
  std::deque<Task> dropped;  // destroyed outside the lock: a destructor may answer a request
  std::unique_lock lock(mutex_);
  stopped_ = true;
  dropped.swap(tasks_);
  changed_.notify_all();
  return changed_.wait_for(lock, patience, [this] { return running_ == 0; });
}

bool AgentThread::stopping() const {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

AgentThread::Task AgentThread::next_task() {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    if (!tasks_.empty()) {
      begin_task();
      Task task = std::move(tasks_.front());
      tasks_.pop_front();
      return task;
    }
    if (ends_when_idle_ && period_ == Clock::duration::zero()) {
      const auto wanted = [this] {
        return stopped_ || !tasks_.empty() || period_ != Clock::duration::zero();
      };
      if (changed_.wait_for(lock, kIdle, wanted)) continue;
      begun_ = false;
      return nullptr;
    }
    if (period_ == Clock::duration::zero()) {
      changed_.wait(lock);
    } else if (Clock::now() < next_due_) {
      changed_.wait_until(lock, next_due_);
    } else {
      begin_task();
      next_due_ = Clock::now() + period_;
      return periodic_;
    }
  }
  return nullptr;
}

void JNICALL AgentThread::run(jvmtiEnv*, JNIEnv* jni, void* of) {
  const std::unique_ptr<Life> life(static_cast<Life*>(of));
  AgentThread& thread = life->of;
  while (Task task = thread.next_task()) {
    guarded(thread.name_, [&] { task(jni); });
    clear_exception(jni);
    task = nullptr;
    thread.task_ended();
  }
  life->forget(jni);
  const std::lock_guard lock(thread.mutex_);
  --thread.running_;
  thread.changed_.notify_all();
}

}  // namespace ddm
