// The program runs under hprof's name: what hprof would have written goes to its file or to its
// socket, at exit, on SIGQUIT and on command.
//
// Dumps are made on a thread of the agent's own, the last one on the thread that ends the program.
// One at a time.
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

class HprofSession final : public Feature, private VmListener {
 public:
  // For commands, on the session's thread.
  struct Controls {
    std::function<void()> exit_program;                       // must not wait
    std::function<std::string(JNIEnv*, bool on)> sample_cpu;  // "" or what went wrong
  };
  // `tracking`: null, where the VM has none.
  HprofSession(jvmtiEnv* jvmti, JNIEnv* jni, const VmFacts& facts, HprofOptions options,
               Tracking* tracking, Stacks& stacks, ReportAssembly& reports, Controls controls);

  void opened(JNIEnv* jni, bool late) override;
  void thread_started(JNIEnv* jni, jthread thread) override { threads_.started(jni, thread); }
  void thread_ending(JNIEnv* jni, jthread thread) override { threads_.ended(jni, thread); }
  bool last_words(JNIEnv* jni, bool told) override;

 private:
  // SIGQUIT. Comes back at once.
  void data_dump_request() override;

  void begin_stream();
  // Null `jni`: without the VM.
  void dump(JNIEnv* jni, const char* reason);
  void put_threads();
  // `introduce`, for a binary stream: tells it of all that is going to stand behind the dump.
  void put_heap_dump(JNIEnv* jni, const std::function<void()>& introduce = {});
  // Of an allocation: the stack's number in the stream. What tells of a new one is put to
  // `binary_` or appended to the text.
  std::uint32_t number_stack(std::span<const Frame> frames, ReportNames& names, std::string& text);
  void put_time(const ReportData& data);
  void put_monitors(JNIEnv* jni);
  void put_sites(const ReportData& data, const HprofView& view, std::uint16_t flags);
  std::optional<ReportData> report(JNIEnv* jni, const char* reason);
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

  std::mutex mutex_;  // of the stream
  HprofOutput output_;
  HprofNumbers numbers_;               // of the text
  std::optional<HprofBinary> binary_;  // format=b
  std::uint32_t depth_;                // shown; may be changed by command
  bool samples_ = false;               // cpu=samples, or by command
};

}  // namespace ddm
