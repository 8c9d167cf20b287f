#include "jvm/vm_pause.h"

#include "jvm/jvmti_error.h"

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

std::string run_in_pause(jvmtiEnv* jvmti, std::function<void()> work) {
  Pause pause{std::move(work)};
  jvmtiHeapCallbacks callbacks{};
  callbacks.heap_reference_callback = on_reference;
  const jvmtiError error = jvmti->FollowReferences(0, nullptr, nullptr, &callbacks, &pause);
  if (error != JVMTI_ERROR_NONE) {
    return std::string("FollowReferences: ") + jvmti_error_name(error);
  }
  return pause.done ? "" : "FollowReferences did not call back";
}

}  // namespace ddm
