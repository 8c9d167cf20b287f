// The one agent of this process: reads the options, owns the parts and wires the VM's callbacks
// to them. Created at load, never destroyed: at the VM's death threads may still be inside.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "client_api/client_api.h"
#include "dyper/dyper.h"
#include "handlers/chunk_handlers.h"
#include "heap/native_sampling.h"
#include "heap_dump_reports.h"
#include "hprof/hprof_session.h"
#include "jvm/agent_thread.h"
#include "jvm/vm_facts.h"
#include "options.h"
#include "patch/hit_budget.h"
#include "patch/probes.h"
#include "report_files.h"
#include "ring_keeper.h"
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
  void resource_exhausted(jint flags);
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
  void use_heap_dumps(JNIEnv* jni, std::vector<std::string> paths);
  void start_reporter(JNIEnv* jni);
  // Without `jni` the VM is not asked for anything.
  void write_reports(JNIEnv* jni, const char* reason, bool oom);
  // Lock held.
  void write_reports_of(JNIEnv* jni, const char* reason, bool oom);
  // None: nothing is to be written.
  std::optional<ReportData> take_records(JNIEnv* jni, const char* reason);
  void write_records(const ReportData& data, bool oom);
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
  std::unique_ptr<AgentThread> reporter_;  // writes reports while the program runs

  std::mutex report_mutex_;  // one report at a time; guards what follows
  std::unique_ptr<ReportFiles> report_files_;
  std::unique_ptr<HeapDumpReports> heap_dumps_;  // null: dump= names none
  std::vector<std::string> at_end_;              // of the last reports: what servers have asked for
  std::atomic<bool> timed_{false};  // cpu= or monitor= was ever asked for: there is a report
  std::atomic<bool> oom_seen_{false};
  std::atomic<bool> oom_report_due_{false};
  std::atomic<bool> dying_{false};
};

}  // namespace ddm
