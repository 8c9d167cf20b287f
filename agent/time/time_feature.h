// Time: exact calls (cpu=times), samples (cpu=samples), locks (monitor=y), and traces for a server.
#pragma once

#include <string>

#include "core/feature.h"
#include "report/assembly/report_assembly.h"
#include "time/cpu_sampler.h"
#include "time/method_tracing.h"
#include "time/monitor_times.h"
#include "time/profiling_handlers.h"
#include "time/sampler_thread.h"
#include "time/time_options.h"
#include "wire/handler_context.h"

namespace ddm {

class TimeFeature final : public Feature {
 public:
  TimeFeature(const HandlerContext& context, const TimeOptions& options, Stacks& stacks,
              ReportAssembly& reports);

  SamplerThread& sampler_thread() { return sampler_thread_; }
  // "" or the error.
  std::string sample_cpu(JNIEnv* jni, bool on);

  void add_chunks(Dispatcher& dispatcher) override { handlers_.add_to(dispatcher); }
  void start(JNIEnv* jni, const GivenOptions& given) override;
  void loan_ended(const GivenOptions& undone) override;
  void thread_started(JNIEnv*, jthread) override { sampler_.thread_started(); }
  void thread_ending(JNIEnv* jni, jthread thread) override {
    sampler_.thread_ended(jni, thread);
    monitors_.thread_ended(jni, thread);
    CallRecorder::thread_ending(jni);
  }
  void session_ended(const SessionPtr& session) override { handlers_.disconnected(session); }
  void halting() override { monitors_.vm_halts(); }
  void end() override;
  bool write_final_reports(JNIEnv* jni, bool complete) override;

 private:
  void time_calls(JNIEnv* jni, const GivenOptions& given);
  void time_locks(JNIEnv* jni);

  const HandlerContext& context_;
  const TimeOptions& options_;
  Stacks& stacks_;
  MethodTracing method_tracing_;
  MonitorTimes monitors_;
  SamplerThread sampler_thread_;
  CpuSampler sampler_;
  ProfilingHandlers handlers_;
  bool started_ = false;
};

}  // namespace ddm
