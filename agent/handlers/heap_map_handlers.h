// HPSG and HPSO: maps of the Java heap, after collections or at once.
#pragma once

#include <atomic>

#include "ddm/heap_segments.h"
#include "handlers/gc_events.h"
#include "handlers/map_events.h"
#include "heap/heap_mapper.h"

namespace ddm {

class HeapMapHandlers {
 public:
  // `unit`: bytes of an allocation unit on the wire.
  HeapMapHandlers(const HandlerContext& context, GcEvents& gc_events, MapEvents& maps,
                  std::uint8_t unit)
      : context_(context), gc_events_(gc_events), maps_(maps), unit_(unit), mapper_(context.vm) {}

  void add_to(Dispatcher& dispatcher);

  // Objects that the last map has counted; 0: there has been none. Any thread.
  std::uint64_t last_object_count() const { return objects_; }

 private:
  void ask(const Request& request, Reply reply);
  // On the maps' thread.
  void draw_for_all(JNIEnv* jni);
  void draw_for_one(JNIEnv* jni, const SessionPtr& session, std::uint8_t what, Reply reply);
  Result<HeapMap> draw(JNIEnv* jni);
  // False: the peer has not read on, and its map is not complete.
  bool send(const SessionPtr& session, const HeapMap& map, std::uint8_t what) const;

  const HandlerContext& context_;
  GcEvents& gc_events_;
  MapEvents& maps_;
  const std::uint8_t unit_;
  HeapMapper mapper_;  // the maps' thread's own
  std::atomic<std::uint64_t> objects_{0};
};

}  // namespace ddm
