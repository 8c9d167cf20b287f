#include "probes/sinks_class.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>

#include "vm/jvmti_memory.h"

namespace ddm {

// The class files, compiled from java/tracker.
extern const unsigned char kTrackerSinks[];
extern const std::size_t kTrackerSinksSize;
extern const unsigned char kTrackerSinksLink[];
extern const std::size_t kTrackerSinksLinkSize;

namespace {

SinkCells* g_sink_cells = nullptr;
ObjectPaths* g_object_paths = nullptr;
std::atomic<SinkReceiver*> g_sink_receiver{nullptr};

// By thread, so that those that share a cell do not share this as well.
struct alignas(64) SharedHits {
  std::atomic<std::int64_t> hits{0};
};
std::array<SharedHits, 64> g_shared_hits;

void JNICALL share_hits(JNIEnv* jni, jclass, jint cell, jlong more) {
  g_sink_cells->share(cell, more);
  const auto thread =
      reinterpret_cast<std::uintptr_t>(jni) >> 10;  // one JNIEnv each, in its Thread
  g_shared_hits[thread % g_shared_hits.size()].hits.fetch_add(1, std::memory_order_relaxed);
}

jint JNICALL sink_opened(JNIEnv* jni, jclass, jint cell) {
  SinkReceiver* const receiver = g_sink_receiver.load(std::memory_order_acquire);
  return receiver != nullptr ? receiver->opened(jni, cell) : 0;
}

jboolean JNICALL reached(JNIEnv* jni, jclass, jobject from, jint comparison) {
  return g_object_paths->holds(jni, from, comparison) ? JNI_TRUE : JNI_FALSE;
}

template <typename Value>
void JNICALL sink_kept(JNIEnv* jni, jclass, jint record, jint which, Value value) {
  SinkReceiver* const receiver = g_sink_receiver.load(std::memory_order_acquire);
  if (record != 0 && receiver != nullptr) receiver->kept(jni, record, which, value);
}

}  // namespace

SinksClass::SinksClass()
    : class_({kSinksClass, kTrackerSinks, kTrackerSinksSize},
             {"java/lang/DdmTrackerSinksLink", kTrackerSinksLink, kTrackerSinksLinkSize},
             {native_method("share", "(IJ)V", reinterpret_cast<void*>(share_hits)),
              native_method("opened", "(I)I", reinterpret_cast<void*>(sink_opened)),
              native_method("walked", "(Ljava/lang/Object;I)Z", reinterpret_cast<void*>(reached)),
              native_method("kept", "(IIJ)V", reinterpret_cast<void*>(sink_kept<jlong>)),
              native_method("kept", "(IID)V", reinterpret_cast<void*>(sink_kept<jdouble>)),
              native_method("kept", "(IILjava/lang/Object;)V",
                            reinterpret_cast<void*>(sink_kept<jobject>))}) {
  g_sink_cells = &cells_;
  g_object_paths = &paths_;
}

std::string SinksClass::define(JNIEnv* jni, ClassHooks& hooks) {
  const std::lock_guard lock(defining_);
  paths_.open(hooks.jvmti());
  std::string error = hooks.define(jni, class_);
  if (error.empty()) cells_.bind(jni, class_.get());
  return error;
}

std::int64_t SinksClass::shared_hits() {
  std::int64_t sum = 0;
  for (const SharedHits& one : g_shared_hits) sum += one.hits.load(std::memory_order_relaxed);
  return sum;
}

void SinksClass::set_receiver(SinkReceiver& receiver) {
  g_sink_receiver.store(&receiver, std::memory_order_release);
}

HitCosts SinksClass::hit_costs(JNIEnv* jni, int rounds, int times) const {
  if (class_.get() == nullptr) return {};
  const jmethodID cost = jni->GetStaticMethodID(class_.get(), "cost", "(II)J");
  if (clear_exception(jni) || cost == nullptr) return {};
  HitCosts least;
  for (int time = 0; time < times; ++time) {
    double ns[5] = {};
    for (jint what = 0; what < 5; ++what) {
      const jlong took =
          jni->CallStaticLongMethod(class_.get(), cost, what, static_cast<jint>(rounds));
      if (clear_exception(jni)) return {};
      ns[what] = static_cast<double>(std::max<jlong>(took, 0)) / rounds;
    }
    least = lower_of(least, {ns[0], ns[1], ns[2], ns[3], ns[4]});
  }
  return least;
}

}  // namespace ddm
