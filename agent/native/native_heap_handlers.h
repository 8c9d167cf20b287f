// NHSG: the map of malloc's blocks, at every GC or once. NHGT: sampled native allocations; NHGE
// switches them.
//
// Maps are drawn on the maps' thread, after the Java heap's of the same GC; NHGT on the slow lane.
#pragma once

#include "native/malloc/native_map.h"
#include "native/native_sampling.h"
#include "wire/events/map_requests.h"

namespace ddm {

class NativeHeapHandlers {
 public:
  NativeHeapHandlers(const HandlerContext& context, GcEvents& gc_events, MapEvents& maps,
                     NativeSampling& sampling)
      : context_(context),
        requests_(context, gc_events, maps, &SessionModes::native_maps),
        sampling_(sampling) {}

  // Call after the handlers of the Java heap, whose maps come first.
  void add_to(Dispatcher& dispatcher);

 private:
  void allocations(Reply reply);
  void switch_sampling(const Request& request, Reply reply);
  void segments(const Request& request, Reply reply);
  // On the maps' thread.
  void draw_for(const std::vector<MapRequests::Receiver>& receivers);
  NativeMap read_map();

  const HandlerContext& context_;
  MapRequests requests_;
  NativeSampling& sampling_;
  bool warned_ = false;  // used by the maps' thread only
};

}  // namespace ddm
