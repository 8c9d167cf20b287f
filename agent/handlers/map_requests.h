// What HPSG, HPSO and NHSG have in common: how a map is asked for, and how it gets to a server.
#pragma once

#include <functional>
#include <vector>

#include "ddm/heap_map_writer.h"
#include "handlers/gc_events.h"
#include "handlers/map_events.h"

namespace ddm {

class MapRequests {
 public:
  // A server that takes nothing for so long does not want the rest of its map.
  static constexpr std::chrono::seconds kPatience{20};
  // Nor may one that reads a little now and then keep others from theirs.
  static constexpr std::chrono::seconds kWholePatience{120};

  // Where a session keeps its wish for one of the maps.
  using Standing = std::atomic<MapWish> SessionModes::*;
  // Draws one map and sends it, on the maps' thread. "" or why the server has not got it.
  using DrawOne = std::function<std::string(JNIEnv*, Session&)>;

  MapRequests(const HandlerContext& context, GcEvents& gc_events, MapEvents& maps)
      : context_(context), gc_events_(gc_events), maps_(maps) {}

  // Quick lane: a map now is drawn and then answered for; any other wish stands until the next.
  void ask(const Request& request, Reply reply, MapWish wish, Standing standing, DrawOne draw_one);

  // The sessions that are due a map after a collection and can take one.
  std::vector<SessionPtr> takers(Standing standing) const;

  struct Envelope {
    Chunk start;
    Chunk end;
    ChunkType segment;
    std::uint8_t unit;  // bytes
  };
  // The maps' thread: what `write` adds and finishes, between the brackets. "" or why it is not
  // complete.
  static std::string send(Session& session, const Envelope& envelope,
                          const std::function<void(HeapMapWriter&)>& write);

 private:
  const HandlerContext& context_;
  GcEvents& gc_events_;
  MapEvents& maps_;
};

}  // namespace ddm
