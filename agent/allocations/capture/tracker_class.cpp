#include "allocations/capture/tracker_class.h"

#include <cstddef>

#include "allocations/capture/tracker_natives.h"
#include "vm/jvmti_error.h"

namespace ddm {

// Class files compiled from java/tracker.
extern const unsigned char kTrackerOn[];
extern const std::size_t kTrackerOnSize;
extern const unsigned char kTrackerOff[];
extern const std::size_t kTrackerOffSize;
extern const unsigned char kTrackerNatives[];
extern const std::size_t kTrackerNativesSize;

TrackerClass::TrackerClass(jvmtiEnv* jvmti)
    : jvmti_(jvmti),
      class_({"java/lang/DdmTrackerNatives", kTrackerNatives, kTrackerNativesSize},
             {kTrackerClass, kTrackerOff, kTrackerOffSize}, tracker_natives()) {}

std::string TrackerClass::swap(bool on) {
  jvmtiClassDefinition definition{};
  definition.klass = class_.link();
  definition.class_bytes = on ? kTrackerOn : kTrackerOff;
  definition.class_byte_count = static_cast<jint>(on ? kTrackerOnSize : kTrackerOffSize);
  const jvmtiError error = jvmti_->RedefineClasses(1, &definition);
  if (error == JVMTI_ERROR_NONE) return "";
  return std::string("redefining java.lang.DdmTracker: ") + jvmti_error_name(error);
}

}  // namespace ddm
