#include "track/tracker_class.h"

#include <cstddef>

#include "jvm/boot_class.h"
#include "jvm/jvmti_error.h"
#include "jvm/jvmti_memory.h"
#include "track/tracker_natives.h"

namespace ddm {

// The class files, compiled from java/tracker.
extern const unsigned char kTrackerOn[];
extern const std::size_t kTrackerOnSize;
extern const unsigned char kTrackerOff[];
extern const std::size_t kTrackerOffSize;
extern const unsigned char kTrackerNatives[];
extern const std::size_t kTrackerNativesSize;

std::string TrackerClass::define(JNIEnv* jni) {
  if (bound_) return "";
  natives_ = define_boot_class(jni, "java/lang/DdmTrackerNatives", kTrackerNatives,
                               kTrackerNativesSize);
  if (natives_ != nullptr) {
    tracker_ = define_boot_class(jni, kTrackerClass, kTrackerOff, kTrackerOffSize);
  }
  if (tracker_ == nullptr) return "the VM refused to define java.lang.DdmTracker";
  return link(jni);
}

// A class that cannot be linked must not be called from rewritten code. RegisterNatives on a class
// of java.base prints a warning on stdout unless it is called from java.base (jni.cpp), that is,
// with two of its methods on the stack: as in the ClassPrepare event of a class that is linked by
// the call of one of its methods.
std::string TrackerClass::link(JNIEnv* jni) {
  linking_ = true;
  const jmethodID method = jni->GetStaticMethodID(natives_, "linkTracker", "()V");
  if (method != nullptr) jni->CallStaticVoidMethod(natives_, method);
  linking_ = false;
  if (clear_exception(jni) || method == nullptr) return "java.lang.DdmTracker cannot be linked";
  return bound_ ? "" : "the natives of java.lang.DdmTracker cannot be registered";
}

void TrackerClass::prepared(JNIEnv* jni, jclass klass) {
  if (linking_ && jni->IsSameObject(klass, tracker_)) bound_ = bind_tracker_natives(jni, natives_);
}

std::string TrackerClass::swap(bool on) {
  jvmtiClassDefinition definition{};
  definition.klass = tracker_;
  definition.class_bytes = on ? kTrackerOn : kTrackerOff;
  definition.class_byte_count = static_cast<jint>(on ? kTrackerOnSize : kTrackerOffSize);
  const jvmtiError error = jvmti_->RedefineClasses(1, &definition);
  if (error == JVMTI_ERROR_NONE) return "";
  return std::string("redefining java.lang.DdmTracker: ") + jvmti_error_name(error);
}

}  // namespace ddm
