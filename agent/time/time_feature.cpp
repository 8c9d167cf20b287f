#include "time/time_feature.h"

#include <utility>

#include "core/log.h"

namespace ddm {

TimeFeature::TimeFeature(const HandlerContext& context, const TimeOptions& options, Stacks& stacks,
                         ReportAssembly& reports)
    : context_(context),
      options_(options),
      stacks_(stacks),
      method_tracing_(context.jvmti, stacks.names()),
      sampler_thread_(context.jvmti),
      sampler_(context.jvmti, sampler_thread_),
      handlers_(context, method_tracing_, sampler_, stacks) {
  sampler_thread_.set_budget(options.budget);
  reports.include(monitors_);
  reports.include(method_tracing_);
  reports.include(sampler_);
}

void TimeFeature::start(JNIEnv* jni, const GivenOptions& given) {
  handlers_.use_methods(options_.methods);
  // There names of unloaded classes are dropped.
  if (options_.cpu_times || options_.cpu_samples || options_.monitor) {
    context_.service.start_lanes(jni);
  }
  time_calls(jni, given);
  time_locks(jni);
  sampler_thread_.set_budget(options_.budget);
  const std::string error = sample_cpu(jni, options_.cpu_samples);
  if (!error.empty()) log_error("cpu=samples: {}", error);
}

void TimeFeature::time_calls(JNIEnv* jni, const GivenOptions& given) {
  const bool is_first = !std::exchange(started_, true);
  const bool times_named = given.has("cpu") && (!options_.times_kept || is_first);
  if (!times_named && !given.has("methods")) return;
  const std::string error = options_.cpu_times ? method_tracing_.start_times(jni, options_.methods)
                                               : method_tracing_.stop_times(jni);
  if (!error.empty()) log_error("cpu=times: {}", error);
  if (given.has("methods") && !options_.cpu_times) {
    log_warn(
        "methods={} times nothing without cpu=times; a DDM server that traces methods and does "
        "not say which gets those",
        options_.methods);
  }
}

void TimeFeature::time_locks(JNIEnv* jni) {
  const std::string error = options_.monitor
                                ? monitors_.start(context_.jvmti, jni, stacks_.naming(jni))
                                : monitors_.stop(context_.jvmti);
  if (!error.empty()) log_error("monitor={}: {}", options_.monitor ? "y" : "n", error);
}

// A later report would show them beside figures of another time.
void TimeFeature::loan_ended(const GivenOptions& undone) {
  if (undone.has("cpu") && !options_.cpu_samples) sampler_.discard();
  if (undone.has("monitor") && !options_.monitor) monitors_.discard();
}

std::string TimeFeature::sample_cpu(JNIEnv* jni, bool on) {
  if (on) {
    return sampler_.start(jni, stacks_.naming(jni),
                          {options_.interval_ms, options_.delay, options_.wall});
  }
  sampler_.stop();
  return "";
}

void TimeFeature::end() {
  handlers_.begin_close();
  sampler_thread_.close();
  monitors_.close();
}

bool TimeFeature::write_final_reports(JNIEnv*, bool complete) {
  handlers_.write_at_end();
  const std::string why = method_tracing_.times_nothing();
  if (!why.empty()) log_warn("cpu=times: {}", why);
  return complete;
}

}  // namespace ddm
