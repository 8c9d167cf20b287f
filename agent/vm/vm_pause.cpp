#include "vm/vm_pause.h"

#include <algorithm>
#include <span>
#include <utility>

#include "vm/jvmti_error.h"
#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

struct Pause {
  std::function<void()> work;
  bool done = false;
};

jint JNICALL on_reference(jvmtiHeapReferenceKind, const jvmtiHeapReferenceInfo*, jlong, jlong,
                          jlong, jlong*, jlong*, jint, void* self) {
  auto& pause = *static_cast<Pause*>(self);
  if (!pause.done) pause.work();
  pause.done = true;
  return JVMTI_VISIT_ABORT;
}

}  // namespace

std::string run_in_pause(jvmtiEnv* jvmti, JNIEnv* jni, std::function<void()> work) {
  constexpr jint kMostTagged = 4;
  const LocalFrame frame(jni, 64);
  jint count = 0;
  JvmtiPtr<jthread> threads(jvmti);
  jthread own = nullptr;
  jvmtiError error = jvmti->GetAllThreads(&count, threads.out());
  if (error == JVMTI_ERROR_NONE) error = jvmti->GetCurrentThread(&own);
  if (error == JVMTI_ERROR_NONE) error = jvmti->SetTag(own, 1);
  if (error != JVMTI_ERROR_NONE) return jvmti_failure("tagging a thread", error);
  // The walk visits the threads in this order, each with its whole stack: the first ones end it.
  const std::span first(threads.get(), static_cast<std::size_t>(std::min(count, kMostTagged)));
  for (const jthread thread : first) jvmti->SetTag(thread, 1);
  std::string result = run_in_pause_at_tagged(jvmti, std::move(work));
  for (const jthread thread : first) jvmti->SetTag(thread, 0);
  jvmti->SetTag(own, 0);
  return result;
}

std::string run_in_pause_at_tagged(jvmtiEnv* jvmti, std::function<void()> work) {
  Pause pause{std::move(work)};
  jvmtiHeapCallbacks callbacks{};
  callbacks.heap_reference_callback = on_reference;
  const jvmtiError error = jvmti->FollowReferences(JVMTI_HEAP_FILTER_UNTAGGED, nullptr, nullptr,
                                                   &callbacks, &pause);
  if (error != JVMTI_ERROR_NONE) return jvmti_failure("FollowReferences", error);
  return pause.done ? "" : "FollowReferences did not call back";
}

}  // namespace ddm
