// HPSG and HPSO: maps of the Java heap, after collections or at once. HPRG: the roles of regions.
#pragma once

#include <atomic>

#include "core/native_thread.h"
#include "heap/heap_mapper.h"
#include "wire/events/map_requests.h"

namespace ddm {

class HeapMapHandlers {
 public:
  // `unit`: bytes of an allocation unit on the wire.
  HeapMapHandlers(const HandlerContext& context, GcEvents& gc_events, MapEvents& maps,
                  std::uint8_t unit)
      : requests_(context, gc_events, maps, &SessionModes::java_maps),
        unit_(unit),
        mapper_(context.vm, start_native_thread) {}

  void add_to(Dispatcher& dispatcher);

  // The number of objects in the last map; 0: no map was drawn yet. Any thread.
  std::uint64_t last_object_count() const { return objects_; }

 private:
  void ask(const Request& request, Reply reply);
  void regions(const Request& request, Reply reply);
  // On the maps' thread.
  void draw_for(JNIEnv* jni, const std::vector<MapRequests::Receiver>& receivers);

  MapRequests requests_;
  const std::uint8_t unit_;
  HeapMapper mapper_;  // used by the maps' thread only
  std::atomic<std::uint64_t> objects_{0};
};

}  // namespace ddm
