// The sessions that want one kind of map (the Java heap's, malloc's), after collections or at once,
// and the delivery. Shared by HPSG, HPSO and NHSG.
//
// A map is drawn once for all receivers, encoded once per form that they want, and queued to their
// sessions as a whole: no thread waits for a server that does not read.
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
  // The field of SessionModes with a session's standing request for this kind of map.
  using Standing = std::atomic<MapSettings> SessionModes::*;

  // A receiver of the next map.
  struct Receiver {
    SessionPtr session;
    std::uint8_t what = 0;
    std::shared_ptr<Reply>
        reply;  // null: drawn after a collection, so there is no request to answer
  };
  // Draws a map for these receivers and delivers it; on the maps' thread.
  using DrawFor = std::function<void(JNIEnv*, const std::vector<Receiver>&)>;

  MapRequests(const HandlerContext& context, GcEvents& gc_events, MapEvents& maps,
              Standing standing)
      : context_(context), gc_events_(gc_events), maps_(maps), standing_(standing) {}

  // Call before the first session. Kinds are drawn in the order of these calls.
  void set_drawer(DrawFor draw_for);

  // Quick lane: a map at once is drawn, then the request is answered; any other request stands
  // until changed.
  void ask(const Request& request, Reply reply, MapSettings settings);

  struct Envelope {
    std::vector<Chunk> start;
    Chunk end;
    ChunkType segment;
    std::uint8_t unit;  // bytes
  };
  using EnvelopeFor = std::function<Envelope(std::uint8_t what)>;
  // Adds the map to the writer and finishes it.
  using Write = std::function<void(std::uint8_t what, HeapMapWriter&)>;
  // Called on the maps' thread.
  void deliver(const std::vector<Receiver>& receivers, const EnvelopeFor& envelope_for,
               const Write& write) const;
  static void fail(const std::vector<Receiver>& receivers, const std::string& why);

 private:
  void draw(JNIEnv* jni, bool after_collection);
  std::vector<Receiver> take_waiting();
  // Adds the sessions that want a map after this collection and have room.
  void add_standing(std::vector<Receiver>& receivers) const;

  const HandlerContext& context_;
  GcEvents& gc_events_;
  MapEvents& maps_;
  const Standing standing_;
  DrawFor draw_for_;

  std::mutex mutex_;
  std::vector<Receiver> waiting_;  // requests for a map at once
};

}  // namespace ddm
