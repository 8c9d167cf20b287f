// Who wants a kind of map (the Java heap's, malloc's), after collections or at once; and how it
// gets to them. HPSG, HPSO and NHSG have this in common.
//
// A map is drawn once for all who wait for it, encoded once for all who want it the same way, and
// handed to their sessions whole: nobody waits for a server that does not read.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "wire/chunks/heap_map_writer.h"
#include "wire/events/gc_events.h"
#include "wire/events/map_events.h"

namespace ddm {

class MapRequests {
 public:
  // Where a session keeps its standing wish for this kind of map.
  using Standing = std::atomic<MapWish> SessionModes::*;

  // Somebody who is to have the map that is drawn next.
  struct Receiver {
    SessionPtr session;
    std::uint8_t what = 0;
    std::shared_ptr<Reply> reply;  // null: after a collection, so nobody waits for an answer
  };
  // Draws a map for all of these and delivers it; on the maps' thread.
  using DrawFor = std::function<void(JNIEnv*, const std::vector<Receiver>&)>;

  MapRequests(const HandlerContext& context, GcEvents& gc_events, MapEvents& maps,
              Standing standing)
      : context_(context), gc_events_(gc_events), maps_(maps), standing_(standing) {}

  // Before the first session. Kinds are drawn in the order of these calls.
  void set_drawer(DrawFor draw_for);

  // Quick lane: a map now is drawn and then answered for; any other wish stands until the next.
  void ask(const Request& request, Reply reply, MapWish wish);

  struct Envelope {
    std::vector<Chunk> start;
    Chunk end;
    ChunkType segment;
    std::uint8_t unit;  // bytes
  };
  using EnvelopeFor = std::function<Envelope(std::uint8_t what)>;
  // Adds the map to the writer and finishes it.
  using Write = std::function<void(std::uint8_t what, HeapMapWriter&)>;
  // The maps' thread.
  void deliver(const std::vector<Receiver>& receivers, const EnvelopeFor& envelope_for,
               const Write& write) const;
  static void fail(const std::vector<Receiver>& receivers, const std::string& why);

 private:
  void draw(JNIEnv* jni, bool after_collection);
  std::vector<Receiver> take_waiting();
  // The sessions that are due a map after a collection and can take one.
  void add_standing(std::vector<Receiver>& receivers) const;

  const HandlerContext& context_;
  GcEvents& gc_events_;
  MapEvents& maps_;
  const Standing standing_;
  DrawFor draw_for_;

  std::mutex mutex_;
  std::vector<Receiver> waiting_;  // for a map now
};

}  // namespace ddm
