// The Java heap for a server: its figures, collections, dumps and maps.
#pragma once

#include "core/feature.h"
#include "heap/heap_handlers.h"
#include "heap/heap_map_handlers.h"
#include "heap/heap_options.h"
#include "wire/events/agent_events.h"

namespace ddm {

class HeapFeature final : public Feature {
 public:
  // `followed` supplies the allocation sites of objects.
  HeapFeature(const HandlerContext& context, AgentEvents& events, const HeapOptions& options,
              FollowedObjects& followed)
      : maps_(context, events.collections(), events.maps(),
              static_cast<std::uint8_t>(options.unit)),
        heap_(context, events.collections(), maps_, followed) {}

  HeapDumper& dumper() { return heap_.dumper(); }

  // HPIF comes before the maps of the same collection.
  void add_chunks(Dispatcher& dispatcher) override {
    heap_.add_to(dispatcher);
    maps_.add_to(dispatcher);
  }
  void session_ended(const SessionPtr& session) override {
    maps_.disconnected(session);
    heap_.disconnected(session);
  }
  void end() override { heap_.dumper().close(); }

 private:
  HeapMapHandlers maps_;
  HeapHandlers heap_;
};

}  // namespace ddm
