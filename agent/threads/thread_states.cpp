#include "threads/thread_states.h"

#include "core/log.h"
#include "vm/jvmti_error.h"
#include "vm/jvmti_memory.h"
#include "vm/thread_list.h"

namespace ddm {
namespace {

bool has(jint state, jint bit) { return (state & bit) != 0; }

// The state without regard to suspension.
ThreadState activity(jint state) {
  if (has(state, JVMTI_THREAD_STATE_TERMINATED)) return ThreadState::kZombie;
  if (!has(state, JVMTI_THREAD_STATE_ALIVE)) return ThreadState::kInitializing;
  if (has(state, JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER)) return ThreadState::kMonitor;
  if (has(state, JVMTI_THREAD_STATE_WAITING_WITH_TIMEOUT)) return ThreadState::kTimedWait;
  if (has(state, JVMTI_THREAD_STATE_WAITING_INDEFINITELY)) return ThreadState::kWait;
  if (has(state, JVMTI_THREAD_STATE_IN_NATIVE)) return ThreadState::kNative;
  if (has(state, JVMTI_THREAD_STATE_RUNNABLE)) return ThreadState::kRunning;
  return ThreadState::kVmWait;
}

}  // namespace

ThreadState thread_state(jint state) {
  return has(state, JVMTI_THREAD_STATE_SUSPENDED) ? ThreadState::kSuspended : activity(state);
}

ThreadStatusList::Entry thread_status(std::uint32_t id, jint state) {
  ThreadState word = activity(state);
  if (word == ThreadState::kTimedWait && !has(state, JVMTI_THREAD_STATE_SLEEPING)) {
    word = ThreadState::kWait;
  }
  if (word == ThreadState::kZombie) word = ThreadState::kVmWait;  // ending; there is no such state
  return {id, word, has(state, JVMTI_THREAD_STATE_SUSPENDED)};
}

std::vector<jthread> threads_with_states(jvmtiEnv* jvmti, JNIEnv* jni, std::vector<jint>& states) {
  jint count = 0;
  JvmtiPtr<jvmtiStackInfo> stacks(jvmti);
  const jvmtiError error = jvmti->GetAllStackTraces(0, stacks.out(), &count);
  if (error != JVMTI_ERROR_NONE) {
    log_warn("GetAllStackTraces: {}", jvmti_error_name(error));
    return {};
  }
  announce_local_refs(jni, count);
  std::vector<jthread> threads;
  for (jint i = 0; i < count; ++i) {
    threads.push_back(stacks[i].thread);
    states.push_back(stacks[i].state);
  }
  return threads;
}

}  // namespace ddm
