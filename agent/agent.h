// The one agent of this process: reads the options, owns the parts and wires the VM's callbacks
// to them. Created at load, never destroyed: at the VM's death threads may still be inside.
#pragma once

#include <jvmti.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client_api/client_api.h"
#include "dyper/dyper.h"
#include "handlers/chunk_handlers.h"
#include "heap/native_sampling.h"
#include "hprof/hprof_session.h"
#include "jvm/vm_facts.h"
#include "options.h"
#include "patch/hit_budget.h"
#include "patch/probes.h"
#include "ring_keeper.h"
#include "run_reports.h"
#include "service.h"
#include "time/cpu_sampler.h"
#include "time/method_tracing.h"
#include "time/monitor_times.h"
#include "time/sampler_thread.h"
#include "track/tracking.h"

namespace ddm {

// As they were given, under the name that the library was loaded by.
struct AgentOptions {
  Options options;
  std::optional<HprofOptions> hprof;
};

class Agent {
 public:
  // JNI_OK or JNI_ERR. At start the VM ends on JNI_ERR; at late attach the attach fails.
  static jint load(JavaVM* vm, const char* option_text);
  static jint attach(JavaVM* vm, const char* option_text);
  static void unload();

  // JVMTI callbacks (callbacks.cpp).
  void vm_init(JNIEnv* jni);
  void vm_death(JNIEnv* jni);
  void resource_exhausted(jint flags) { reports_->resource_exhausted(flags); }
  Tracking* tracking() const { return tracking_.get(); }
  ChunkHandlers* handlers() const { return handlers_.get(); }
  MonitorTimes& monitors() { return monitors_; }
  HprofSession* hprof() const { return hprof_.get(); }  // null: not loaded under its name
  CpuSampler& sampler() { return sampler_; }

 private:
  Agent(jvmtiEnv* jvmti, AgentOptions options);

  static std::optional<AgentOptions> read_options(const char* text);
  bool enable(std::initializer_list<jvmtiEvent> events);
  void go_live(JNIEnv* jni, bool late);
  void start_native_sampling(JavaVM* vm, JNIEnv* jni);
  void prepare_hooks(JNIEnv* jni);
  void wait_for_server();
  void apply_tracking_options(JNIEnv* jni, const Options& options);
  void apply_time_options(JNIEnv* jni, const Options& options);
  std::string sample_cpu(JNIEnv* jni, bool on);
  void last_reports(JNIEnv* jni);
  void process_exits();
  jint reload(JNIEnv* jni, const Options& options);

  jvmtiEnv* const jvmti_;
  Options options_;
  std::optional<HprofOptions> hprof_options_;
  VmFacts facts_;
  std::int64_t load_time_ = 0;
  std::unique_ptr<Tracking> tracking_;
  MonitorTimes monitors_;
  std::unique_ptr<MethodTracing> method_tracing_;
  SamplerThread sampler_thread_;
  CpuSampler sampler_;
  SinksClass sinks_;
  std::unique_ptr<HitBudget> hit_budget_;
  std::unique_ptr<Probes> probes_;
  std::unique_ptr<RingKeeper> ring_keeper_;  // with ring= only
  std::unique_ptr<Service> service_;
  std::unique_ptr<NativeSampling> native_sampling_;
  std::unique_ptr<ChunkHandlers> handlers_;
  std::unique_ptr<ClientApi> client_api_;
  std::unique_ptr<Dyper> dyper_;
  std::unique_ptr<HprofSession> hprof_;
  std::unique_ptr<RunReports> reports_;
};

}  // namespace ddm
