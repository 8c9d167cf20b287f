#include "adapters/dyper/thread_capture.h"

#include <algorithm>

#include "core/clocks.h"
#include "core/log.h"
#include "core/proc_stat.h"
#include "vm/jvmti_error.h"
#include "vm/jvmti_memory.h"
#include "vm/management.h"
#include "vm/own_threads.h"
#include "vm/thread_list.h"

namespace ddm {
namespace {

ThreadActivity activity_of(jint state) {
  if ((state & JVMTI_THREAD_STATE_SLEEPING) != 0) return ThreadActivity::kSleeping;
  switch (state & JVMTI_JAVA_LANG_THREAD_STATE_MASK) {
    case JVMTI_JAVA_LANG_THREAD_STATE_NEW:
      return ThreadActivity::kNew;
    case JVMTI_JAVA_LANG_THREAD_STATE_RUNNABLE:
      return ThreadActivity::kRunnable;
    case JVMTI_JAVA_LANG_THREAD_STATE_BLOCKED:
      return ThreadActivity::kBlocked;
    case JVMTI_JAVA_LANG_THREAD_STATE_WAITING:
      return ThreadActivity::kWaiting;
    case JVMTI_JAVA_LANG_THREAD_STATE_TIMED_WAITING:
      return ThreadActivity::kTimedWaiting;
    default:
      return ThreadActivity::kTerminated;
  }
}

void read_cpu(std::uint32_t os_id, ThreadFacts& facts) {
  if (os_id == 0) return;
  const std::int64_t cpu_ns = cpu_of_thread_ns(os_id);
  facts.cpu_ms = static_cast<double>(std::max<std::int64_t>(cpu_ns, 0)) / 1e6;
  const auto stat = read_proc_stat("/proc/self/task/" + std::to_string(os_id) + "/stat");
  if (stat) facts.user_ms = 10.0 * static_cast<double>(stat->user_ticks);
}

void add(const management::ThreadInfo& info, ThreadFacts& facts) {
  facts.blocked_count = info.blocked_count;
  facts.waited_count = info.waited_count;
  facts.blocked_ms = info.blocked_ms;
  facts.waited_ms = info.waited_ms;
}

}  // namespace

void ThreadCapture::read_frames(JNIEnv* jni, const jvmtiStackInfo& stack,
                                SeenThread& thread) const {
  const Reclamation::Reading reading;
  thread.frames.reserve(static_cast<std::size_t>(stack.frame_count));
  for (jint i = 0; i < stack.frame_count; ++i) {
    const jvmtiFrameInfo& raw = stack.frame_buffer[i];
    const ShownFrame shown = naming_.frames.shown(jni, {raw.method, raw.location}, 0);
    if (shown.role() == ShownRole::kHidden || shown.role() == ShownRole::kTracker) continue;
    const MethodName& method = naming_.names.method(shown.frame().method);
    thread.frames.push_back(
        {method.class_name, method.method, method.file, line_of(method, shown.frame().bci)});
  }
}

std::optional<ThreadSnapshot> ThreadCapture::capture(JNIEnv* jni, std::int64_t max_depth,
                                                     const Wanted& wanted) const {
  ThreadSnapshot snapshot;
  snapshot.texts_held = naming_.names.hold();
  const LocalFrame frame(jni, 64);
  jint count = 0;
  JvmtiPtr<jvmtiStackInfo> stacks(jvmti_);
  const jvmtiError error =
      jvmti_->GetAllStackTraces(static_cast<jint>(max_depth), stacks.out(), &count);
  snapshot.ms = epoch_ms();
  if (!frame.good() || error != JVMTI_ERROR_NONE) {
    log_debug("GetAllStackTraces: {}", jvmti_error_name(error));
    return {};
  }
  announce_local_refs(jni, count);
  for (jint i = 0; i < count; ++i) {
    const jvmtiStackInfo& stack = stacks[i];
    const std::int64_t id = fields_.id(jni, stack.thread);
    if (is_own_thread(id)) continue;
    if (!wanted(id)) {
      snapshot.excluded.insert(id);
      continue;
    }
    SeenThread thread;
    thread.id = id;
    thread.os_id = fields_.os_id(jni, stack.thread);
    thread.name = fields_.name(jni, stack.thread);
    thread.activity = activity_of(stack.state);
    read_frames(jni, stack, thread);
    snapshot.threads.push_back(std::move(thread));
  }
  return snapshot;
}

void ThreadCapture::add_facts(JNIEnv* jni, ThreadSnapshot& snapshot,
                              const std::function<bool(const SeenThread&)>& needed) {
  std::vector<std::int64_t> ids;
  for (SeenThread& thread : snapshot.threads) {
    if (needed(thread)) read_cpu(thread.os_id, thread.facts.emplace());
    if (thread.facts || thread.activity == ThreadActivity::kBlocked) ids.push_back(thread.id);
  }
  if (ids.empty()) return;
  auto thread = snapshot.threads.begin();
  for (management::ThreadInfo& info : management::thread_infos(jni, ids)) {  // in their order
    thread = std::ranges::find(thread, snapshot.threads.end(), info.id, &SeenThread::id);
    if (thread == snapshot.threads.end()) return;
    if (thread->facts) add(info, *thread->facts);
    if (thread->activity != ThreadActivity::kBlocked) continue;
    thread->lock_owner = info.lock_owner;
    thread->lock_owner_name = std::move(info.lock_owner_name);
  }
}

std::vector<ThreadFacts> ThreadCapture::facts(JNIEnv* jni, const Wanted& wanted) const {
  std::vector<ThreadFacts> result;
  std::vector<std::int64_t> ids;
  const LocalFrame frame(jni, 64);
  if (!frame.good()) return result;
  for (const jthread thread : all_threads(jvmti_, jni)) {
    const std::int64_t id = fields_.id(jni, thread);
    if (is_own_thread(id)) continue;
    ThreadFacts facts;
    facts.id = id;
    facts.wanted = wanted(id);
    if (facts.wanted) {
      facts.name = fields_.name(jni, thread);
      read_cpu(fields_.os_id(jni, thread), facts);
      ids.push_back(id);
    }
    result.push_back(std::move(facts));
  }
  for (const management::ThreadInfo& info : management::thread_infos(jni, ids)) {
    const auto of = std::ranges::find(result, info.id, &ThreadFacts::id);
    if (of != result.end()) add(info, *of);
  }
  return result;
}

}  // namespace ddm
