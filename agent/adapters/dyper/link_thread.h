// Asks on a thread of its own whether a plan's calls link: that runs class loaders of the JDK, and
// one that takes long, or for ever (its files are on a disk that does not answer), must hold up no
// command.
//
// ask() on one thread at a time.
#pragma once

#include <jvmti.h>

#include <set>
#include <string>
#include <vector>

#include "adapters/dyper/sink_linkage.h"
#include "probes/side_thread.h"

namespace ddm {

class LinkThread {
 public:
  explicit LinkThread(jvmtiEnv* jvmti)
      : jvmti_(jvmti), thread_(jvmti, "ddmagent-links", std::chrono::seconds(3)) {}

  // As linked_plan(). Where no answer comes, the calls are left out, as errors; and at once as long
  // as that loader still is at it.
  LinkedPlan ask(JNIEnv* jni, const bci::PatchPlan& plan, const std::set<std::string>& classes,
                 std::vector<DyperError>& errors);

  // At the VM's death, on any thread: nobody waits any longer.
  void close() { thread_.close(); }

 private:
  jvmtiEnv* const jvmti_;
  SideThread thread_;
};

}  // namespace ddm
