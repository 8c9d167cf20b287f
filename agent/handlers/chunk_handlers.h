// The handlers of all chunks that the agent understands, and what they need to live.
//
// Made in the live phase, before the service is opened; lives as long as the process.
#pragma once

#include "handlers/app_handlers.h"
#include "handlers/gc_events.h"
#include "handlers/handler_context.h"
#include "handlers/heap_handlers.h"
#include "handlers/heap_map_handlers.h"
#include "handlers/map_events.h"
#include "handlers/native_heap_handlers.h"
#include "handlers/probe_handlers.h"
#include "handlers/profiling_handlers.h"
#include "handlers/pulse.h"
#include "handlers/report_handlers.h"
#include "handlers/thread_handlers.h"
#include "handlers/tracking_handlers.h"

namespace ddm {

class ChunkHandlers final : public SessionObserver {
 public:
  // Registers everything with the service's dispatcher. `tracking` and `native_sampling` may be
  // null; `map_unit`: bytes; `methods`: the option, for traces.
  ChunkHandlers(jvmtiEnv* jvmti, JavaVM* vm, Service& service, const VmFacts& facts,
                Tracking* tracking, std::uint8_t map_unit, NativeSampling* native_sampling,
                MethodTracing& method_tracing, std::string methods, Probes& probes,
                CpuSampler& sampler);

  AppHandlers& app() { return app_; }
  HeapDumper& heap_dumper() { return heap_.dumper(); }
  const HandlerContext& context() const { return context_; }

  // In VMDeath, before the service is closed: microseconds.
  void close();
  // And after: a map that is being sent or drawn, a report that is being written.
  void wait();

  // JVMTI's events, on the thread concerned.
  void thread_started(JNIEnv* jni, jthread thread) { threads_.thread_started(jni, thread); }
  void thread_ending(JNIEnv* jni, jthread thread) { threads_.thread_ending(jni, thread); }
  // As the program ends, after close() if that came: ReportHandlers.
  std::vector<std::string> reports_at_end() const { return reports_.paths_at_end(); }

  void gc_finished() noexcept { gc_events_.gc_finished(); }

  void connected(const SessionPtr& session) override;
  void disconnected(const SessionPtr& session) override;

 private:
  const HandlerContext context_;
  Pulse pulse_;
  GcEvents gc_events_;
  AppHandlers app_;
  ThreadHandlers threads_;
  MapEvents maps_;
  HeapMapHandlers heap_maps_;
  HeapHandlers heap_;
  NativeHeapHandlers native_heap_;
  TrackingHandlers tracking_;
  ReportHandlers reports_;
  ProfilingHandlers profiling_;
  ProbeHandlers probes_;
};

}  // namespace ddm
