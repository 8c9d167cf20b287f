// The session of a library loaded as hprof: hprof's output goes to its file or its socket, at exit,
// on SIGQUIT and on command.
//
// Dumps are written one at a time, on a thread of the agent's, the last one on the thread that ends
// the program.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>

#include "adapters/hprof/hprof_options.h"
#include "adapters/hprof/hprof_output.h"
#include "adapters/hprof/hprof_threads.h"
#include "allocations/tracking.h"
#include "core/feature.h"
#include "heap/heap_dump_file.h"
#include "report/hprof/hprof_binary.h"
#include "report/hprof/hprof_numbers.h"
#include "vm/agent_thread.h"
#include "vm/vm_events.h"
#include "vm/vm_facts.h"

namespace ddm {

// Whether this process loaded the library by its second name, libhprof.so: it then takes hprof's
// options.
bool loaded_as_hprof();

class HprofSession final : public Feature, private VmListener {
 public:
  // Called for commands, on the session's thread.
  struct Controls {
    std::function<void()> exit_program;                       // must not block
    std::function<std::string(JNIEnv*, bool on)> sample_cpu;  // "" or the error
  };
  // `tracking`: null where this VM cannot track allocations.
  HprofSession(jvmtiEnv* jvmti, JNIEnv* jni, const VmFacts& facts, HprofOptions options,
               Tracking* tracking, Stacks& stacks, ReportAssembly& reports, Controls controls);

  void opened(JNIEnv* jni, bool late) override;
  void thread_started(JNIEnv* jni, jthread thread) override { threads_.started(jni, thread); }
  void thread_ending(JNIEnv* jni, jthread thread) override { threads_.ended(jni, thread); }
  bool write_final_reports(JNIEnv* jni, bool complete) override;

 private:
  // On SIGQUIT. Returns at once.
  void data_dump_request() override;

  void begin_stream(bool late);
  // A null `jni`: without calls into the VM.
  void dump(JNIEnv* jni, const char* reason);
  void put_threads();
  // `introduce`, for a binary stream: writes the records that the dump refers to.
  void put_heap_dump(JNIEnv* jni, const std::function<void()>& introduce = {});
  // The number in the stream of an allocation's stack. The description of a new stack goes to
  // `binary_` or is appended to the text.
  std::uint32_t number_stack(std::span<const Frame> frames, ReportNames& names, std::string& text);
  void put_time(const ReportData& data);
  void put_sites(const ReportData& data, const HprofView& view, std::uint16_t flags);
  HprofView view() const;

  void answer(JNIEnv* jni, const HprofCommand& command);
  void answer_sites(JNIEnv* jni, const HprofCommand& command);
  void answer_with_totals(JNIEnv* jni);
  void answer_with_traces(JNIEnv* jni);
  void answer_with_samples(JNIEnv* jni, const HprofCommand& command);
  HprofSettings settings() const;
  void force_gc();
  void control(JNIEnv* jni, const HprofCommand& command);
  void flush();

  jvmtiEnv* const jvmti_;
  const HprofOptions options_;
  Tracking* const tracking_;
  Stacks& stacks_;
  ReportAssembly& reports_;
  HprofThreads threads_;
  const VmFacts facts_;
  const Controls controls_;
  AgentThread thread_;
  HeapDumper heap_dumper_;

  std::mutex mutex_;  // guards the stream
  HprofOutput output_;
  HprofNumbers numbers_;               // for the text format
  std::optional<HprofBinary> binary_;  // format=b
  std::uint32_t depth_;                // frames shown; a command may change it
  bool samples_ = false;               // on by cpu=samples or by command
};

}  // namespace ddm
