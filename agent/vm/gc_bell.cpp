#include "vm/gc_bell.h"

#include <cerrno>
#include <ctime>
#include <memory>

#include "vm/jvmti_environment.h"

namespace ddm {

void JNICALL GcBell::finished(jvmtiEnv* jvmti) {
  if (GcBell* const self = object_of<GcBell>(jvmti)) self->collected();
}

GcBell* GcBell::create(JavaVM* vm) {
  JvmtiEnvironment jvmti = make_jvmti_environment(vm);
  if (jvmti == nullptr) return nullptr;
  jvmtiCapabilities needed{};
  needed.can_generate_garbage_collection_events = 1;
  jvmtiEventCallbacks callbacks{};
  callbacks.GarbageCollectionFinish = finished;
  std::unique_ptr<GcBell> bell(new GcBell());
  if (prepare_environment(jvmti, needed, callbacks, bell.get()) != JVMTI_ERROR_NONE) return nullptr;
  bell->jvmti_ = jvmti.release();
  return bell.release();
}

bool GcBell::switch_to(bool on) {
  return jvmti_->SetEventNotificationMode(on ? JVMTI_ENABLE : JVMTI_DISABLE,
                                          JVMTI_EVENT_GARBAGE_COLLECTION_FINISH,
                                          nullptr) == JVMTI_ERROR_NONE;
}

void GcBell::wait() {
  while (sem_wait(&rung_) != 0 && errno == EINTR) {
  }
  forget_rings();
}

void GcBell::wait_for(std::chrono::milliseconds patience) {
  timespec until{};
  clock_gettime(CLOCK_MONOTONIC, &until);
  const std::int64_t nanos = until.tv_nsec + patience.count() % 1000 * 1'000'000;
  until.tv_sec += patience.count() / 1000 + nanos / 1'000'000'000;
  until.tv_nsec = nanos % 1'000'000'000;
  while (sem_clockwait(&rung_, CLOCK_MONOTONIC, &until) != 0 && errno == EINTR) {
  }
  forget_rings();
}

// Drops pending rings: the caller is about to read the state that they announce.
void GcBell::forget_rings() {
  while (sem_trywait(&rung_) == 0) {
  }
}

}  // namespace ddm
