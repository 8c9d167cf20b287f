// Checks on a separate thread whether a plan's calls link: the check runs class loaders of the JDK,
// and a loader that blocks, perhaps for ever (on a disk that does not respond), must not block the
// commands.
//
// check() on one thread at a time.
#pragma once

#include <jvmti.h>

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "adapters/dyper/documents/request.h"
#include "bci/patch/patch_plan.h"
#include "probes/side_thread.h"

namespace ddm {

// The part of a plan that covers certain loaded classes and whose calls link there.
struct LinkedPlan {
  using ByLoader = std::function<bool(JNIEnv*, std::string_view internal_name, jobject loader)>;
  bci::PatchPlan plan;
  // For classes loaded later, by loaders that were not checked: false keeps out patches that call
  // the program's own methods.
  ByLoader by_loader = nullptr;
};

// The plan without calls of methods that are not the agent's.
bci::PatchPlan without_calls_of_the_program(const bci::PatchPlan& plan);

class LinkThread {
 public:
  explicit LinkThread(jvmtiEnv* jvmti)
      : jvmti_(jvmti), thread_(jvmti, "ddmagent-links", std::chrono::seconds(3)) {}

  // For these classes ("a.B"); calls that do not link are left out and reported as errors. Without
  // an answer in time, so are all; so they are, without waiting, while an earlier check is still in
  // progress.
  LinkedPlan check(JNIEnv* jni, const bci::PatchPlan& plan, const std::set<std::string>& classes,
                   DyperErrors& errors);

  // At the VM's death, on any thread: ends all waiting.
  void close() { thread_.close(); }

 private:
  jvmtiEnv* const jvmti_;
  SideThread thread_;
};

}  // namespace ddm
