// java.lang.DdmTrackerProbes inside the VM: what probed methods call.
#pragma once

#include "jvm/bound_class.h"

namespace ddm {

class ProbeCells;
class ProbeRecords;

// Its natives lead to these, of which there is one each in the process.
BoundClass probe_class(ProbeCells& cells, ProbeRecords& records);

// What a hit costs in this VM as it is now, in nanoseconds: measured, by running each some hundred
// times. On an attached thread.
struct HitCosts {
  double count = 0;   // a hit that is counted
  double test = 0;    // a condition that does not hold
  double timed = 0;   // a call that is timed
  double native = 0;  // each call of a native, without what it does
};
HitCosts measure_hit_costs(JNIEnv* jni, jclass probes, int rounds);

// The static fields that the agent writes to, and "" or what went wrong.
struct ProbeFields {
  jobjectArray rows = nullptr;  // local references
  jbyteArray recording = nullptr;
};
std::string find_probe_fields(JNIEnv* jni, jclass probes, ProbeFields& fields);

// Cells belong to other probes from now on.
void renew_probe_cells(JNIEnv* jni, jclass probes);

}  // namespace ddm
