// The one agent of this process: reads the options, creates the features and calls them at the moments
// of core/feature.h. Created at load, never destroyed: at the VM's death threads may still be inside.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "adapters/hprof/hprof_options.h"
#include "core/feature.h"
#include "core/result.h"
#include "options/options.h"
#include "report/assembly/report_assembly.h"
#include "stack/stacks.h"
#include "vm/vm_events.h"
#include "vm/vm_facts.h"
#include "wire/handler_context.h"
#include "wire/service.h"

namespace ddm {

// The options, parsed for the name under which the library was loaded.
struct AgentOptions {
  Options options;
  std::optional<HprofOptions> hprof;
};

class Agent final : private VmListener, private SessionObserver {
 public:
  // JNI_OK or JNI_ERR. At start the VM ends on JNI_ERR; at late attach the attach fails. load() is
  // called for each time that the agent is given, JAVA_TOOL_OPTIONS first.
  static jint load(JavaVM* vm, const char* option_text);
  static jint attach(JavaVM* vm, const char* option_text);

 private:
  Agent(JavaVM* vm, jvmtiEnv* jvmti, AgentOptions options);

  enum class When { kAtStart, kLive };
  static std::optional<AgentOptions> read_options(const char* text, When when);
  // kOpen: all features exist, and what the end removes (the ring file, the discovery file).
  enum class Life { kLoaded, kGoingLive, kOpen, kEnded };
  static Agent* create(JavaVM* vm, AgentOptions options, Life life,
                       std::initializer_list<jvmtiEvent> events);
  bool enable(std::initializer_list<jvmtiEvent> events);
  jint reload(JNIEnv* jni, Options options, const LoggedHere& said);
  void tell_loaded(const LoggedHere& said);
  Result<std::string> load_more(JNIEnv* jni, const std::string& option_text);

  void go_live(JNIEnv* jni, bool late);
  void end(JNIEnv* jni);
  void make_services(JNIEnv* jni);
  void make_features(JNIEnv* jni);
  template <typename Made>
  Made& add(std::unique_ptr<Made> feature);
  void use_options(JNIEnv* jni);
  void write_final_reports(JNIEnv* jni);
  template <typename End>
  void for_each_at_end(End end);
  void process_exits();

  void vm_init(JNIEnv* jni) override;
  void vm_death(JNIEnv* jni) override;
  void thread_start(JNIEnv* jni, jthread thread) override;
  void thread_end(JNIEnv* jni, jthread thread) override;
  void connected(const SessionPtr& session) override;
  void disconnected(const SessionPtr& session) override;

  jvmtiEnv* const jvmti_;
  std::mutex loading_;  // held while the options of a load are applied
  Options options_;
  std::optional<HprofOptions> hprof_options_;
  std::string text_;              // the options that it was started with
  const std::int64_t load_time_;  // seconds since 1970
  VmFacts facts_;
  Service service_;
  const HandlerContext context_;
  std::unique_ptr<Stacks> stacks_;  // created with the features
  std::unique_ptr<ReportAssembly> reports_;
  std::vector<std::unique_ptr<Feature>> features_;  // created when the VM is live
  std::atomic<Life> life_{Life::kLoaded};
};

}  // namespace ddm
