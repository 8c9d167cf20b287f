// Work that somebody else's code may hold up for ever (a class loader, another agent's transformer):
// done on a thread of its own. Whoever waits for it gives up when that thread has stood still for
// so long; the work is done whenever it is.
//
// All but close() on one thread at a time.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

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
    kGoesOn,  // nobody waits for it any longer
    kBusy,    // an earlier one goes on, and this one is not begun
    kCannot,  // there is no such thread, or the program is ending
  };
  // `work` keeps what it needs: whoever asks may have gone when it ends.
  Outcome run(JNIEnv* jni, std::function<void(JNIEnv*)> work);
  // No earlier work goes on.
  bool idle() const;
  // CPU of all work so far.
  std::int64_t cpu_ns() const;

  // At the VM's death, on any thread: nobody waits any longer.
  void close() {
    closing_ = true;
    thread_.stop(kGlance);
  }

 private:
  static constexpr std::chrono::milliseconds kGlance{20};
  struct Running;

  AgentThread thread_;
  const std::chrono::seconds patience_;
  std::atomic<bool> closing_{false};
  std::shared_ptr<Running> last_;  // null: there was none
  std::int64_t earlier_ns_ = 0;    // CPU of those before it
};

}  // namespace ddm
