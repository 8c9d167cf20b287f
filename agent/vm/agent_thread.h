// A thread of ours inside the VM that may use JNI: RunAgentThread, started once the VM is live.
//
// It runs queued tasks in order and a periodic task, and otherwise waits. post() may be called from
// any thread, attached or not (JVMTI raw monitors take no unattached owner, so this is a plain
// condition variable), but never from GC callbacks. An attached thread that sits in native code at
// the VM's end delays it by 0.3 s: stop() in VMDeath lets the thread go before the VM looks.
//
// A debugger that suspends all threads passes over those that run the agent's code (jdwp_suspension).
//
// Making the thread runs Java, where a debugger may stop whoever makes it for as long as it likes:
// no lock of ours is held meanwhile.
#pragma once

#include <jvmti.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>

namespace ddm {

class AgentThread {
 public:
  using Task = std::function<void(JNIEnv*)>;

  // Whose code it runs. What the agent's allocates is not recorded.
  enum class Runs { kAgent, kProgram };

  AgentThread(jvmtiEnv* jvmti, std::string name, Runs runs = Runs::kAgent);

  // What is needed now and then: the thread ends when it has had nothing to do for a while, and
  // run_soon() starts another one. Before start().
  void end_when_idle() { ends_when_idle_ = true; }

  // Starts the thread; call in VMInit or later. Returns "" or what went wrong. Any attached thread;
  // a call after the first, or while that is going on, does nothing and waits for nothing.
  std::string start(JNIEnv* jni);

  // Runs the task on the thread soon. False, and the task is gone, once stop() was called.
  bool post(Task task);
  // The same, and starts the thread if there is none. "" or what went wrong.
  std::string run_soon(JNIEnv* jni, Task task);

  struct Load {                          // zero: it does not
    std::chrono::nanoseconds waiting{};  // how long the first task has waited while none went on
    std::chrono::nanoseconds busy{};     // how long the task that goes on has
  };
  Load load() const;
  // Is told of every post(), under a lock: must not wait. Before start().
  void tell_of_posts(std::function<void()> told) { told_ = std::move(told); }

  // Runs the task every `period` (0 = no more).
  void every(std::chrono::milliseconds period, Task task);

  // No further task begins and the thread ends. Waits for a running task, at most so long; false
  // when that was not enough.
  bool stop(std::chrono::milliseconds patience);

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kIdle{1500};
  struct Life {  // of one thread
    AgentThread& of;
    jobject thread;       // of java.lang.Thread
    std::int64_t own_id;  // java.lang.Thread's, of the agent's; 0: it runs the program's code
  };
  std::string start_thread(JNIEnv* jni);
  static void JNICALL run(jvmtiEnv* jvmti, JNIEnv* jni, void* life);
  // Lock held.
  bool add(Task task);
  Task next_task();  // empty: the thread is to end
  void run_task(JNIEnv* jni, const Task& task) const;
  void begin_task();
  void task_ended();

  jvmtiEnv* const jvmti_;
  const std::string name_;
  const Runs runs_;
  bool ends_when_idle_ = false;
  std::function<void()> told_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_:
  std::deque<Task> tasks_;
  Task periodic_;
  Clock::duration period_{0};
  Clock::time_point next_due_;
  bool busy_ = false;        // a task is going on, here or elsewhere
  Clock::time_point since_;  // busy, or with a task that could be taken
  bool begun_ = false;  // start() was called and has not failed, and it was not idle for too long
  bool stopped_ = false;
  int running_ = 0;  // threads between RunAgentThread and their end: one that ends, and the next
};

}  // namespace ddm
