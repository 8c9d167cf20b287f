// A thread for work that foreign code (a class loader, another agent's transformer) may block for
// ever. The caller stops waiting once that thread has used almost no CPU for `patience`; the work
// itself continues.
//
// All but close() on one thread at a time.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "core/exit_limits.h"
#include "vm/agent_thread.h"

namespace ddm {

class SideThread {
 public:
  SideThread(jvmtiEnv* jvmti, const char* name, std::chrono::seconds patience)
      : thread_(jvmti, name), patience_(patience) {
    thread_.end_when_idle();
  }

  enum class Outcome {
    kDone,
    kGoesOn,  // the caller has stopped waiting; the work continues
    kBusy,    // earlier work is still in progress, and this work was not begun
    kCannot,  // there is no such thread, or the program is ending
  };
  // `work` owns the data that it uses, since run() may return before the work ends.
  Outcome run(JNIEnv* jni, std::function<void(JNIEnv*)> work);
  // No earlier work is in progress.
  bool idle() const;
  // CPU of all work so far.
  std::int64_t cpu_ns() const;

  // At the VM's death, on any thread: ends all waiting.
  void close() {
    closing_ = true;
    thread_.stop(exit_limits::kChangeLimit);
  }

 private:
  static constexpr std::chrono::milliseconds kGlance{20};
  struct Running;

  AgentThread thread_;
  const std::chrono::seconds patience_;
  std::atomic<bool> closing_{false};
  std::shared_ptr<Running> last_;  // null: there was none
  std::int64_t earlier_ns_ = 0;    // CPU of all work before `last_`
};

}  // namespace ddm
