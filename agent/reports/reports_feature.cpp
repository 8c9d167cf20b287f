#include "reports/reports_feature.h"

#include "core/log.h"
#include "vm/jvmti_error.h"
#include "vm/vm_log.h"

namespace ddm {

void ReportsFeature::apply_options(JNIEnv* jni, const GivenOptions&) {
  if (timed_()) reports_.has_times();
  if (!reports_.use(jni, options_)) return;
  keep_jvmti_log_off_stdout(jni);
  listen_to(JVMTI_EVENT_RESOURCE_EXHAUSTED, *this);
  const jvmtiError error = context_.jvmti->SetEventNotificationMode(
      JVMTI_ENABLE, JVMTI_EVENT_RESOURCE_EXHAUSTED, nullptr);
  if (error != JVMTI_ERROR_NONE) {
    log_error("no report at an OutOfMemoryError: {}", jvmti_error_name(error));
  }
}

void ReportsFeature::started() {
  if (!options_.dumps.empty()) reports_.warn_of_missing_stacks();
}

void ReportsFeature::end() {
  reports_.begin_end();
  handlers_.begin_close();
}

bool ReportsFeature::write_final_reports(JNIEnv* jni, bool complete) {
  reports_.begin_end();
  return reports_.write_last(jni, handlers_.paths_at_end()) && complete;
}

}  // namespace ddm
