// Captures all platform threads of the program in one safepoint, without the agent's own threads.
// `wanted`: those that USETHREAD does not exclude. Attached threads.
#pragma once

#include <jvmti.h>

#include <functional>
#include <optional>
#include <vector>

#include "adapters/dyper/documents/thread_snapshot.h"
#include "stack/stack_naming.h"
#include "vm/thread_fields.h"

namespace ddm {

class ThreadCapture {
 public:
  ThreadCapture(jvmtiEnv* jvmti, const StackNaming& naming, const ThreadFields& fields)
      : jvmti_(jvmti), naming_(naming), fields_(fields) {}

  using Wanted = std::function<bool(std::int64_t java_id)>;

  // None: the VM returned an error.
  std::optional<ThreadSnapshot> capture(JNIEnv* jni, std::int64_t max_depth,
                                        const Wanted& wanted) const;

  // Adds the owner of the lock that each blocked thread waits for, and the facts about the threads for
  // which `needed` is true.
  static void add_facts(JNIEnv* jni, ThreadSnapshot& snapshot,
                        const std::function<bool(const SeenThread&)>& needed);

  // About all threads.
  std::vector<ThreadFacts> facts(JNIEnv* jni, const Wanted& wanted) const;

 private:
  void read_frames(JNIEnv* jni, const jvmtiStackInfo& stack, SeenThread& thread) const;

  jvmtiEnv* const jvmti_;
  const StackNaming naming_;
  const ThreadFields fields_;
};

}  // namespace ddm
