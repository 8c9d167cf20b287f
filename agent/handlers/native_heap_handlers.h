// NHSG: the map of malloc's blocks, at every GC or once. NHGT: sampled native allocations.
//
// Both are made and sent on the slow lane, maps after a heap map that the same GC has put there.
#pragma once

#include <atomic>

#include "ddm/heap_segments.h"
#include "handlers/gc_events.h"
#include "handlers/handler_context.h"
#include "heap/native_sampling.h"
#include "native/native_map.h"

namespace ddm {

class NativeHeapHandlers {
 public:
  // `sampling` is null without the option native=.
  NativeHeapHandlers(const HandlerContext& context, GcEvents& gc_events, NativeSampling* sampling)
      : context_(context), gc_events_(gc_events), sampling_(sampling) {}

  // After the handlers of the Java heap: their events of a GC come first.
  void add_to(Dispatcher& dispatcher);

  // The VM has collected garbage: a map for every session that wants one. Never waits.
  void collected();

 private:
  void allocations(Reply reply);
  void segments(const Request& request, Reply reply);
  void send_maps();
  void send_map(Session& session, const NativeMap& map);
  NativeMap read_map();

  const HandlerContext& context_;
  GcEvents& gc_events_;
  NativeSampling* const sampling_;
  std::atomic<bool> maps_due_{false};
  std::atomic<bool> warned_{false};
};

}  // namespace ddm
