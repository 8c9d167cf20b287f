#include "vm/vm_pause.h"

#include "vm/jvmti_error.h"

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

std::string follow_references(jvmtiEnv* jvmti, jint filter, std::function<void()> work) {
  Pause pause{std::move(work)};
  jvmtiHeapCallbacks callbacks{};
  callbacks.heap_reference_callback = on_reference;
  const jvmtiError error = jvmti->FollowReferences(filter, nullptr, nullptr, &callbacks, &pause);
  if (error != JVMTI_ERROR_NONE) return jvmti_failure("FollowReferences", error);
  return pause.done ? "" : "FollowReferences did not call back";
}

}  // namespace

std::string run_in_pause(jvmtiEnv* jvmti, std::function<void()> work) {
  return follow_references(jvmti, 0, std::move(work));
}

std::string run_in_pause_at_tagged(jvmtiEnv* jvmti, std::function<void()> work) {
  return follow_references(jvmti, JVMTI_HEAP_FILTER_UNTAGGED, std::move(work));
}

}  // namespace ddm
