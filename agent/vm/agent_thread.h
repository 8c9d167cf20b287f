// An agent thread that may use JNI: RunAgentThread, started once the VM is live.
//
// It runs queued tasks in order and a periodic task, and waits otherwise. post() may be called from
// any thread, attached or not (JVMTI raw monitors refuse unattached owners, hence a plain condition
// variable), but never from a GC callback. An attached thread in native code delays the VM's exit
// by 0.3 s; stop() in VMDeath ends the thread before.
//
// A debugger's suspension of all threads does not include those of Runs::kAgent (jdwp_suspension).
//
// The thread keeps nothing of its creator but the thread group: its context class loader is the
// system's.
//
// Creating the thread runs Java code, where a debugger may suspend the creating thread
// indefinitely: no lock of the agent is held meanwhile.
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

  // Whose code the thread runs. Allocations of kAgent threads are not recorded.
  enum class Runs { kAgent, kProgram };

  AgentThread(jvmtiEnv* jvmti, std::string name, Runs runs = Runs::kAgent);
  ~AgentThread();

  // For a VM with a jdwp agent: starts all kAgent threads that exist, and none of them ends. A
  // debugger that leaves while a thread starts or ends may leave all threads suspended, since jdwp
  // suspends them for the event, which nobody receives any more.
  static void start_all_for_good(JNIEnv* jni);

  // The thread ends after some idle time without a periodic task, and run_soon() starts a new one.
  // Call before start().
  void end_when_idle() { ends_when_idle_ = true; }

  // Starts the thread; call in VMInit or later, on any attached thread. Returns "" or the error.
  // Returns at once if the thread exists or is being started.
  std::string start(JNIEnv* jni);

  // Queues the task. False, and the task is destroyed, after stop(), and where a thread that ends when
  // idle does not run.
  bool post(Task task);
  // Queues the task and starts the thread if there is none. "" or the error.
  std::string run_soon(JNIEnv* jni, Task task);

  struct Load {                          // all zero: no task is queued or running
    std::chrono::nanoseconds waiting{};  // of the first queued task, while none is running
    std::chrono::nanoseconds busy{};     // run time of the running task so far
  };
  Load load() const;
  // Calls `listener` at every post(), with the lock held: it must not block. Call before start().
  void set_post_listener(std::function<void()> listener) { on_post_ = std::move(listener); }

  // Runs the task every `period`; 0 ends that.
  void every(std::chrono::milliseconds period, Task task);

  // Starts no further task and ends the thread. Waits up to `patience` for a running task; false:
  // it is still running.
  bool stop(std::chrono::milliseconds patience);
  // After stop(): a task that waits should end.
  bool stopping() const;

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kIdle{1500};
  struct Life {  // of one thread
    AgentThread& of;
    jobject thread;                  // the java.lang.Thread
    std::int64_t own_id;             // Thread.getId() of a kAgent thread; 0: Runs::kProgram
    void forget(JNIEnv* jni) const;  // it has ended, or did not start
  };
  std::string start_thread(JNIEnv* jni);
  static void JNICALL run(jvmtiEnv* jvmti, JNIEnv* jni, void* life);
  // Call with the lock held.
  bool add(Task task);
  Task next_task();  // empty: the thread has to end
  void begin_task();
  void task_ended();

  jvmtiEnv* const jvmti_;
  const std::string name_;
  const Runs runs_;
  std::function<void()> on_post_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_:
  bool ends_when_idle_ = false;
  std::deque<Task> tasks_;
  Task periodic_;
  Clock::duration period_{0};
  Clock::time_point next_due_;
  bool busy_ = false;        // a task is running
  Clock::time_point since_;  // since when it is busy_, or a queued task could run
  bool begun_ = false;       // start() has succeeded, and the thread has not ended for idleness
  bool stopped_ = false;
  int running_ = 0;  // threads inside RunAgentThread: an ending one and its successor may overlap
};

}  // namespace ddm
