// Checks on a separate thread whether a plan's calls link: the check runs class loaders of the JDK,
// and a loader that blocks, perhaps for ever (on a disk that does not respond), must not block the
// commands.
//
// check() on one thread at a time.
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

  // As linked_plan(). Without an answer in time, the calls are left out and reported as errors; so
  // they are, without waiting, while an earlier check is still in progress.
  LinkedPlan check(JNIEnv* jni, const bci::PatchPlan& plan, const std::set<std::string>& classes,
                   DyperErrors& errors);

  // At the VM's death, on any thread: ends all waiting.
  void close() { thread_.close(); }

 private:
  jvmtiEnv* const jvmti_;
  SideThread thread_;
};

}  // namespace ddm
