// Asks on a thread of its own whether a plan's calls link: that may run the program's class loaders,
// and one that takes long, or for ever, must hold up no command.
//
// ask() on the thread that answers commands.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "dyper/sink_linkage.h"
#include "jvm/agent_thread.h"

namespace ddm {

class LinkThread {
 public:
  explicit LinkThread(jvmtiEnv* jvmti) : jvmti_(jvmti), thread_(jvmti, "ddmagent-links") {}

  // As linked_plan(). Where no answer comes in kPatience, the calls are left out, as errors; and at
  // once as long as that loader still is at it.
  LinkedPlan ask(JNIEnv* jni, const bci::PatchPlan& plan, const std::set<std::string>& classes,
                 std::vector<DyperError>& errors);

  // At the VM's death, on any thread: nobody waits any longer.
  void close() {
    closing_ = true;
    thread_.stop(kGlance);
  }

 private:
  static constexpr std::chrono::seconds kPatience{3};
  static constexpr std::chrono::milliseconds kGlance{20};
  struct Question;

  jvmtiEnv* const jvmti_;
  AgentThread thread_;
  std::atomic<bool> closing_{false};
  std::shared_ptr<Question> last_;  // null: none was asked
};

}  // namespace ddm
