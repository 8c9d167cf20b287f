// Native memory for a server.
//
// NHSG: the map of malloc's blocks, at every GC or once. NHGT: sampled native allocations, which the
// option native=BYTES and NHGE switch.
//
// Maps are drawn on the maps' thread, after the Java heap's of the same GC; NHGT on the slow lane.
#pragma once

#include "core/feature.h"
#include "native/malloc/native_map.h"
#include "native/native_options.h"
#include "native/native_sampling.h"
#include "wire/events/agent_events.h"
#include "wire/events/map_requests.h"

namespace ddm {

class NativeFeature final : public Feature {
 public:
  // `options` are those of the last load.
  NativeFeature(const HandlerContext& context, AgentEvents& events, const NativeOptions& options)
      : context_(context),
        options_(options),
        sampling_(context.jvmti),
        requests_(context, events.collections(), events.maps(), &SessionModes::native_maps) {}

  // Call after the feature of the Java heap, whose maps come first.
  void add_chunks(Dispatcher& dispatcher) override;
  void start(JNIEnv* jni, const GivenOptions& given) override;
  // Without the lock of sampling_, which a start may hold while it waits for the loader.
  void end_after_servers() override { NativeSampler::end(); }

 private:
  void allocations(const Request& request, Reply reply);
  void switch_sampling(const Request& request, Reply reply);
  void segments(const Request& request, Reply reply);
  // On the maps' thread.
  void draw_for(const std::vector<MapRequests::Receiver>& receivers);
  NativeMap read_map();

  const HandlerContext& context_;
  const NativeOptions& options_;
  NativeSampling sampling_;
  MapRequests requests_;
  bool warned_ = false;  // used by the maps' thread only
};

}  // namespace ddm
