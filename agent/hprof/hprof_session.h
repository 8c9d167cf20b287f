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

#include "heap/heap_dump_file.h"
#include "heap/heap_figures.h"
#include "hprof/hprof_options.h"
#include "hprof/hprof_output.h"
#include "hprof/hprof_threads.h"
#include "jvm/agent_thread.h"
#include "jvm/vm_facts.h"
#include "records/hprof_binary.h"
#include "records/hprof_numbers.h"
#include "track/tracking.h"

namespace ddm {

class HprofSession {
 public:
  // `tracking`: null, where the VM has none.
  HprofSession(jvmtiEnv* jvmti, JNIEnv* jni, HprofOptions options, Tracking* tracking);

  // For commands, on the session's thread.
  struct Controls {
    std::function<void()> exit_program;                       // must not wait
    std::function<std::string(JNIEnv*, bool on)> sample_cpu;  // "" or what went wrong
  };
  // Once threads are told of.
  void open(JNIEnv* jni, const VmFacts& facts, Controls controls);

  // SIGQUIT. Comes back at once.
  void dump_requested();
  // At the VM's death; without `jni` where the VM is not to be asked for anything.
  void last_dump(JNIEnv* jni);

  HprofThreads& threads() { return threads_; }

 private:
  static std::int64_t now_ms();  // of the wall clock
  void begin_stream(const VmFacts& facts);
  // Null `jni`: without the VM.
  void dump(JNIEnv* jni, const char* reason);
  void put_threads();
  void put_heap_dump(JNIEnv* jni);
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
  HprofThreads threads_;
  Controls controls_;
  AgentThread thread_;
  HeapFiguresReader heap_figures_;
  HeapDumper heap_dumper_;

  std::mutex mutex_;  // of the stream
  HprofOutput output_;
  HprofNumbers numbers_;               // of the text
  std::optional<HprofBinary> binary_;  // format=b
  std::uint32_t depth_;                // shown; may be changed by command
  bool samples_ = false;               // cpu=samples, or by command
};

}  // namespace ddm
