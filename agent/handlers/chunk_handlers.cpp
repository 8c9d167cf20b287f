#include "handlers/chunk_handlers.h"

#include <utility>

#include "ddm/heap_segments.h"

namespace ddm {

ChunkHandlers::ChunkHandlers(jvmtiEnv* jvmti, JavaVM* vm, Service& service, const VmFacts& facts,
                             Tracking* tracking, std::uint8_t map_unit,
                             NativeSampling* native_sampling, MethodTracing& method_tracing,
                             std::string methods, Probes& probes, CpuSampler& sampler)
    : context_{jvmti, vm, service},
      pulse_([this] { gc_events_.heard(); }, GcEvents::kGap),
      gc_events_(context_, pulse_),
      app_(context_, facts),
      threads_(context_, pulse_),
      maps_(context_, pulse_),
      heap_maps_(context_, gc_events_, maps_, map_unit),
      heap_(context_, gc_events_, heap_maps_, tracking),
      native_heap_(context_, gc_events_, maps_, native_sampling),
      tracking_(context_, tracking, threads_),
      reports_(context_, tracking),
      profiling_(context_, method_tracing, std::move(methods), sampler, tracking),
      probes_(context_, probes) {
  Dispatcher& dispatcher = service.dispatcher();
  app_.add_to(dispatcher);
  threads_.add_to(dispatcher);
  heap_.add_to(dispatcher);  // HPIF comes before the maps of the same collection
  heap_maps_.add_to(dispatcher);
  native_heap_.add_to(dispatcher);  // after the Java heap's
  gc_events_.add_listener([this](JNIEnv*) { maps_.collected(); });
  tracking_.add_to(dispatcher);
  reports_.add_to(dispatcher);
  profiling_.add_to(dispatcher);
  probes_.add_to(dispatcher);
}

void ChunkHandlers::connected(const SessionPtr&) {}

void ChunkHandlers::disconnected(const SessionPtr& session) {
  pulse_.cancel(session->id());
  profiling_.disconnected(session);
  probes_.disconnected(session);
  heap_.disconnected(session);
  reports_.disconnected(session);
  // The modes have ended with the session; what they kept switched on may end too.
  context_.service.quick().post([this](JNIEnv*) {
    threads_.sessions_changed();
    gc_events_.refresh();
  });
}

void ChunkHandlers::close() {
  app_.close();
  pulse_.stop();
  maps_.begin_close();
  reports_.begin_close();
  heap_.close();
}

void ChunkHandlers::wait() {
  maps_.close();
  reports_.close();
}

}  // namespace ddm
