#include "vm/virtual_thread_support.h"

#include <array>
#include <utility>

#include "core/log.h"
#include "vm/capabilities.h"
#include "vm/jvmti_error.h"

namespace ddm {
namespace {

// What the headers of 17 have no names for.
constexpr jint kFirstRelease = 0x00150000;          // 21: JVMTI_VERSION_21, JNI_VERSION_21
constexpr std::size_t kSupportVirtualThreads = 44;  // bit of jvmtiCapabilities
constexpr int kVirtualThreadEnd = 88;               // JVMTI_EVENT_VIRTUAL_THREAD_END

// jvmtiEventCallbacks: one pointer for each event, in their order.
using Callbacks = std::array<void (*)(), kVirtualThreadEnd - JVMTI_MIN_EVENT_TYPE_VAL + 1>;

void JNICALL virtual_thread_ended(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread) {
  VmListener* const listener = object_of<VmListener>(jvmti);
  if (listener == nullptr) return;
  guarded("in VirtualThreadEnd", [&] { listener->virtual_thread_end(jni, thread); });
}

}  // namespace

JvmtiEnvironment virtual_thread_environment(JNIEnv* jni, jvmtiError& error) {
  error = JVMTI_ERROR_NONE;
  if (jni->GetVersion() < kFirstRelease) return nullptr;
  auto jvmti = make_jvmti_environment(jni, kFirstRelease | JVMTI_VERSION_INTERFACE_JVMTI);
  if (jvmti == nullptr) return nullptr;
  const auto wanted = offered_capability(jvmti.get(), kSupportVirtualThreads);
  error = wanted ? jvmti->AddCapabilities(&*wanted) : JVMTI_ERROR_NOT_AVAILABLE;
  return error == JVMTI_ERROR_NONE ? std::move(jvmti) : nullptr;
}

void VirtualThreadEnds::open(JNIEnv* jni, VmListener& listener) {
  if (jvmti_ != nullptr) return;
  jvmtiError error = JVMTI_ERROR_NONE;
  jvmti_ = virtual_thread_environment(jni, error);
  if (jvmti_ != nullptr) {
    Callbacks callbacks{};
    callbacks.back() = reinterpret_cast<void (*)()>(virtual_thread_ended);
    error = jvmti_->SetEnvironmentLocalStorage(&listener);
    if (error == JVMTI_ERROR_NONE) {
      error = jvmti_->SetEventCallbacks(reinterpret_cast<const jvmtiEventCallbacks*>(&callbacks),
                                        sizeof callbacks);
    }
    if (error == JVMTI_ERROR_NONE) {
      error = jvmti_->SetEventNotificationMode(JVMTI_ENABLE,
                                               static_cast<jvmtiEvent>(kVirtualThreadEnd), nullptr);
    }
  }
  if (error == JVMTI_ERROR_NONE) return;
  log_info("the ends of virtual threads are not seen: {}", jvmti_error_name(error));
  jvmti_ = nullptr;
}

}  // namespace ddm
