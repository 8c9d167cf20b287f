#include "wire/events/gc_events.h"

#include <algorithm>

#include "vm/jvmti_error.h"

namespace ddm {

bool GcEvents::wanted_by(const Session& session) {
  const SessionModes& modes = session.modes;
  return modes.heap_info_when >= HeapInfoWhen::kNextGc ||
         modes.java_maps.load().when != SegmentsWhen::kNever ||
         modes.native_maps.load().when != SegmentsWhen::kNever;
}

std::string GcEvents::refresh() {
  const std::lock_guard lock(mutex_);
  const auto sessions = context_.sessions();
  const bool wanted =
      std::ranges::any_of(sessions, [](const SessionPtr& session) { return wanted_by(*session); });
  if (wanted == on_) return "";
  jvmtiError error = JVMTI_ERROR_NONE;
  if (wanted) {
    if (!pulse_.start()) return "there is no thread for events";
    listen_to(JVMTI_EVENT_GARBAGE_COLLECTION_FINISH, *this);
    jvmtiCapabilities needed{};
    needed.can_generate_garbage_collection_events = 1;
    error = context_.jvmti->AddCapabilities(&needed);
  }
  if (error == JVMTI_ERROR_NONE) {
    error = context_.jvmti->SetEventNotificationMode(
        wanted ? JVMTI_ENABLE : JVMTI_DISABLE, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH, nullptr);
  }
  if (error != JVMTI_ERROR_NONE) {
    return std::string("the VM tells of no collections: ") + jvmti_error_name(error);
  }
  on_ = wanted;
  return "";
}

void GcEvents::notify() {
  context_.service.quick().post([this](JNIEnv* jni) {
    for (const auto& listener : listeners_) listener(jni);
  });
}

}  // namespace ddm
