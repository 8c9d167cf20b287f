#include "patch/probe_class.h"

#include <algorithm>

#include "jvm/jvmti_memory.h"
#include "patch/probe_cells.h"
#include "patch/probe_records.h"
#include "patch/probes/probe_plan.h"

namespace ddm {

// The class files, compiled from java/tracker.
extern const unsigned char kTrackerProbes[];
extern const std::size_t kTrackerProbesSize;
extern const unsigned char kTrackerProbesLink[];
extern const std::size_t kTrackerProbesLinkSize;

namespace {

ProbeCells* g_cells = nullptr;
ProbeRecords* g_records = nullptr;

jlongArray JNICALL new_row(JNIEnv* jni, jclass, jlong thread, jint last) {
  return g_cells->new_row(jni, thread, last);
}

void JNICALL share(JNIEnv*, jclass, jint cell, jlong amount) { g_cells->share(cell, amount); }

jint JNICALL open_native(JNIEnv* jni, jclass, jint probe) { return g_records->open_record(jni, probe); }

void JNICALL kept_whole(JNIEnv*, jclass, jint record, jint number, jlong value) {
  g_records->keep_whole(record, number, value);
}

void JNICALL kept_real(JNIEnv*, jclass, jint record, jint number, jdouble value) {
  g_records->keep_real(record, number, value);
}

void JNICALL kept_object(JNIEnv* jni, jclass, jint record, jint number, jobject value) {
  g_records->keep_object(jni, record, number, value);
}

}  // namespace

BoundClass probe_class(ProbeCells& cells, ProbeRecords& records) {
  g_cells = &cells;
  g_records = &records;
  return BoundClass(
      {kProbesClass, kTrackerProbes, kTrackerProbesSize},
      {"java/lang/DdmTrackerProbesLink", kTrackerProbesLink, kTrackerProbesLinkSize},
      {native_method("newRow", "(JI)[J", reinterpret_cast<void*>(new_row)),
       native_method("share", "(IJ)V", reinterpret_cast<void*>(share)),
       native_method("opened", "(I)I", reinterpret_cast<void*>(open_native)),
       native_method("kept", "(IIJ)V", reinterpret_cast<void*>(kept_whole)),
       native_method("kept", "(IID)V", reinterpret_cast<void*>(kept_real)),
       native_method("kept", "(IILjava/lang/Object;)V", reinterpret_cast<void*>(kept_object))});
}

HitCosts measure_hit_costs(JNIEnv* jni, jclass probes, int rounds) {
  const jmethodID cost = jni->GetStaticMethodID(probes, "cost", "(II)J");
  if (clear_exception(jni) || cost == nullptr) return {};
  double ns[4] = {};
  for (jint what = 0; what < 4; ++what) {
    const jlong took = jni->CallStaticLongMethod(probes, cost, what, static_cast<jint>(rounds));
    if (clear_exception(jni)) return {};
    ns[what] = static_cast<double>(std::max<jlong>(took, 0)) / rounds;
  }
  return {ns[0], ns[1], ns[2], ns[3]};
}

std::string find_probe_fields(JNIEnv* jni, jclass probes, ProbeFields& fields) {
  const jfieldID rows = jni->GetStaticFieldID(probes, "ROWS", "[[J");
  if (rows != nullptr) {
    fields.rows = static_cast<jobjectArray>(jni->GetStaticObjectField(probes, rows));
  }
  const jfieldID recording = jni->GetStaticFieldID(probes, "RECORDING", "[B");
  if (recording != nullptr) {
    fields.recording = static_cast<jbyteArray>(jni->GetStaticObjectField(probes, recording));
  }
  if (clear_exception(jni) || fields.rows == nullptr || fields.recording == nullptr) {
    return "java.lang.DdmTrackerProbes is not as expected";
  }
  return "";
}

void renew_probe_cells(JNIEnv* jni, jclass probes) {
  const jmethodID renew = jni->GetStaticMethodID(probes, "renew", "()V");
  if (renew != nullptr) jni->CallStaticVoidMethod(probes, renew);
  clear_exception(jni);
}

}  // namespace ddm
