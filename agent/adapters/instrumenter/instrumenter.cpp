#include "adapters/instrumenter/instrumenter.h"

#include <atomic>

#include "vm/java_call.h"

namespace ddm {
namespace {

std::atomic<Instrumenter*> g_instrumenter{nullptr};

template <typename Work>
std::string with_instrumenter(Work work) {
  return guarded_call("in a call of ddm-instrumenter.jar", g_instrumenter.load(),
                      std::string("the agent is not there yet, or failed: see its log"), work);
}

}  // namespace

void Instrumenter::opened(JNIEnv*, bool) { g_instrumenter = this; }

void Instrumenter::thread_ending(JNIEnv* jni, jthread) {
  if (tracking_ != nullptr) tracking_->listener().thread_ending(jni);
}

void Instrumenter::end() {
  if (tracking_ != nullptr) tracking_->listener().stop(nullptr);
}

std::string Instrumenter::prepare(JNIEnv* jni) {
  if (tracking_ == nullptr) return "allocations of this VM cannot be tracked";
  context_.service.start_lanes(jni);  // for what tracking has to do in the background
  return tracking_->prepare_listener(jni);
}

std::string Instrumenter::listen(JNIEnv* jni, jclass listener) {
  if (tracking_ == nullptr) return "allocations of this VM cannot be tracked";
  context_.service.start_lanes(jni);  // for what tracking has to do in the background
  return tracking_->start_listener(jni, listener);
}

void Instrumenter::settle(JNIEnv* jni) {
  if (tracking_ != nullptr) tracking_->listener().settle(jni);
}

void Instrumenter::ignore(JNIEnv* jni, jclass listener) {
  settle(jni);
  if (tracking_ != nullptr && tracking_->listener().calls(jni, listener)) {
    tracking_->listener().stop(jni);
  }
}

}  // namespace ddm

extern "C" {

// Null: listen() will miss no active method; otherwise the error.
JNIEXPORT jstring JNICALL
Java_com_google_monitoring_runtime_instrumentation_AgentLink_prepare(JNIEnv* jni, jclass) {
  const std::string why = ddm::with_instrumenter([&](auto& one) { return one.prepare(jni); });
  return why.empty() ? nullptr : jni->NewStringUTF(why.c_str());
}

// Null: objects are reported from now on; otherwise the error.
JNIEXPORT jstring JNICALL
Java_com_google_monitoring_runtime_instrumentation_AgentLink_listen(JNIEnv* jni, jclass link) {
  const std::string why = ddm::with_instrumenter([&](auto& one) { return one.listen(jni, link); });
  return why.empty() ? nullptr : jni->NewStringUTF(why.c_str());
}

JNIEXPORT void JNICALL
Java_com_google_monitoring_runtime_instrumentation_AgentLink_settle(JNIEnv* jni, jclass) {
  ddm::with_instrumenter([&](ddm::Instrumenter& instrumenter) {
    instrumenter.settle(jni);
    return std::string();
  });
}

JNIEXPORT void JNICALL
Java_com_google_monitoring_runtime_instrumentation_AgentLink_ignore(JNIEnv* jni, jclass link) {
  ddm::with_instrumenter([&](ddm::Instrumenter& instrumenter) {
    instrumenter.ignore(jni, link);
    return std::string();
  });
}
}
