#include "patch/sinks_class.h"

#include <algorithm>
#include <cstddef>
#include <exception>

#include "jvm/boot_class.h"
#include "jvm/jvmti_memory.h"
#include "log.h"

namespace ddm {

// The class files, compiled from java/tracker.
extern const unsigned char kTrackerSinks[];
extern const std::size_t kTrackerSinksSize;
extern const unsigned char kTrackerSinksLink[];
extern const std::size_t kTrackerSinksLinkSize;
extern const unsigned char kTrackerCarrier[];
extern const std::size_t kTrackerCarrierSize;

namespace {

SinkCells* g_sink_cells = nullptr;
jclass g_string = nullptr;  // global reference

// A receiver may call what is patched: that counts, but tells nobody.
thread_local bool t_receiving = false;

template <typename Deliver>
void deliver(jint cell, Deliver deliver_to) {
  if (t_receiving) return;
  t_receiving = true;
  try {
    if (const auto receiver = g_sink_cells->receiver_of(cell)) deliver_to(*receiver);
  } catch (const std::exception& failure) {
    log_error("in a sink: {}", failure.what());
  }
  t_receiving = false;
}

void JNICALL sink_hit(JNIEnv* jni, jclass, jint cell) {
  deliver(cell, [&](SinkReceiver& receiver) { receiver.hit(jni, cell); });
}

template <typename Value>
void JNICALL sink_value(JNIEnv* jni, jclass, jint cell, jint which, Value given) {
  deliver(cell, [&](SinkReceiver& receiver) { receiver.value(jni, cell, which, given); });
}

// String.equals() may be patched itself.
jboolean JNICALL equal_text(JNIEnv* jni, jclass, jobject left, jstring right) {
  if (jni->IsSameObject(left, right)) return JNI_TRUE;
  if (left == nullptr || right == nullptr || !jni->IsInstanceOf(left, g_string)) return JNI_FALSE;
  const auto text = static_cast<jstring>(left);
  const jsize length = jni->GetStringLength(right);
  if (jni->GetStringLength(text) != length) return JNI_FALSE;
  constexpr jsize kAtOnce = 256;
  jchar ours[kAtOnce], theirs[kAtOnce];
  for (jsize at = 0; at < length; at += kAtOnce) {
    const jsize count = std::min(kAtOnce, length - at);
    jni->GetStringRegion(text, at, count, ours);
    jni->GetStringRegion(right, at, count, theirs);
    if (!std::equal(ours, ours + count, theirs)) return JNI_FALSE;
  }
  return JNI_TRUE;
}

}  // namespace

SinksClass::SinksClass(SinkCells& cells)
    : cells_(cells),
      class_({kSinksClass, kTrackerSinks, kTrackerSinksSize},
             {"java/lang/DdmTrackerSinksLink", kTrackerSinksLink, kTrackerSinksLinkSize},
             {native_method("hit0", "(I)V", reinterpret_cast<void*>(sink_hit)),
              native_method("long0", "(IIJ)V", reinterpret_cast<void*>(sink_value<jlong>)),
              native_method("double0", "(IID)V", reinterpret_cast<void*>(sink_value<jdouble>)),
              native_method("object0", "(IILjava/lang/Object;)V",
                            reinterpret_cast<void*>(sink_value<jobject>)),
              native_method("equal0", "(Ljava/lang/Object;Ljava/lang/String;)Z",
                            reinterpret_cast<void*>(equal_text))}) {
  g_sink_cells = &cells;
}

std::string SinksClass::define(JNIEnv* jni) {
  if (defined_) return "";
  if (g_string == nullptr) {
    const LocalRef<jclass> string(jni, jni->FindClass("java/lang/String"));
    if (string) g_string = static_cast<jclass>(jni->NewGlobalRef(string.get()));
  }
  if (carrier_ == nullptr) {
    carrier_ =
        define_boot_class(jni, "java/lang/DdmTrackerCarrier", kTrackerCarrier, kTrackerCarrierSize);
  }
  if (clear_exception(jni) || g_string == nullptr || carrier_ == nullptr) {
    return "the VM refused to define java.lang.DdmTrackerCarrier";
  }
  std::string error = class_.define(jni);
  if (!error.empty()) return error;
  cells_.bind(jni, class_.get());
  defined_ = true;
  return "";
}

}  // namespace ddm
