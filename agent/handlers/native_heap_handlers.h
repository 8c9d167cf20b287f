// NHSG: the map of malloc's blocks, at every GC or once. NHGT: sampled native allocations.
//
// Maps are drawn on the maps' thread, after the Java heap's of the same GC; NHGT on the slow lane.
#pragma once

#include "ddm/heap_segments.h"
#include "handlers/gc_events.h"
#include "handlers/handler_context.h"
#include "handlers/map_events.h"
#include "heap/native_sampling.h"
#include "native/native_map.h"

namespace ddm {

class NativeHeapHandlers {
 public:
  // `sampling` is null without the option native=.
  NativeHeapHandlers(const HandlerContext& context, GcEvents& gc_events, MapEvents& maps,
                     NativeSampling* sampling)
      : context_(context), gc_events_(gc_events), maps_(maps), sampling_(sampling) {}

  // After the handlers of the Java heap: their maps come first.
  void add_to(Dispatcher& dispatcher);

 private:
  void allocations(Reply reply);
  void segments(const Request& request, Reply reply);
  // On the maps' thread.
  void draw_for_all();
  void draw_for_one(Session& session, Reply reply);
  NativeMap read_map();
  // False: the peer has not read on, and its map is not complete.
  bool send(Session& session, const NativeMap& map) const;

  const HandlerContext& context_;
  GcEvents& gc_events_;
  MapEvents& maps_;
  NativeSampling* const sampling_;
  bool warned_ = false;  // the maps' thread's own
};

}  // namespace ddm
