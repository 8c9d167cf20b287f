#include "handlers/heap_map_handlers.h"

#include "log.h"

namespace ddm {
namespace {

// A peer is waited for so long, each time that so much has been sent.
constexpr std::chrono::seconds kPatience{20};
constexpr std::size_t kPortion = std::size_t{1} << 20;

constexpr std::uint32_t kJavaHeap = 1;
constexpr std::uint8_t kObjects = 1;  // HPSG's `what`

}  // namespace

void HeapMapHandlers::add_to(Dispatcher& dispatcher) {
  for (const ChunkType type : {kMergedSegment, kObjectSegment}) {
    dispatcher.add(type, Lane::kQuick,
                   [this](const Request& request, Reply reply) { ask(request, std::move(reply)); });
  }
  maps_.add_drawer([this](JNIEnv* jni) { draw_for_all(jni); });
}

void HeapMapHandlers::ask(const Request& request, Reply reply) {
  auto wanted = HeapSegmentsRequest::decode(request.data);
  if (!wanted) {
    return reply.fail_bad_data("u1 when: 0 never, 1 every GC, 2 now; u1 what: 0 HPSG, 1 HPSO");
  }
  if (request.type == kObjectSegment) wanted->what = kObjects;
  if (wanted->when != SegmentsWhen::kNever) {
    const std::string error = maps_.start(context_.jni());
    if (!error.empty()) return reply.fail(FailCode::kRefused, error);
  }
  if (wanted->when == SegmentsWhen::kNow) {
    auto shared = std::make_shared<Reply>(std::move(reply));
    maps_.post([this, session = request.session, what = wanted->what, shared](JNIEnv* jni) {
      draw_for_one(jni, session, what, std::move(*shared));
    });
    return;
  }
  SessionModes& modes = request.session->modes;
  modes.heap_segments_what = wanted->what;
  modes.heap_segments_when = static_cast<std::uint8_t>(wanted->when);
  const std::string error = gc_events_.refresh();
  if (!error.empty()) return reply.fail(FailCode::kRefused, error);
  reply.send_empty();
}

Result<HeapMap> HeapMapHandlers::draw(JNIEnv* jni) {
  auto map = mapper_.draw(jni);
  if (map) objects_ = map->objects();
  return map;
}

void HeapMapHandlers::draw_for_all(JNIEnv* jni) {
  std::vector<SessionPtr> sessions;
  for (const SessionPtr& session : context_.sessions()) {
    // A map that a server cannot take yet is old when it can.
    if (session->modes.heap_segments_when == static_cast<std::uint8_t>(SegmentsWhen::kEveryGc) &&
        session->wait_for_room(std::chrono::milliseconds::zero())) {
      sessions.push_back(session);
    }
  }
  if (sessions.empty()) return;
  const auto map = draw(jni);
  if (!map) {
    log_warn("heap map: {}", map.message());
    return;
  }
  for (const SessionPtr& session : sessions) send(session, *map, session->modes.heap_segments_what);
}

void HeapMapHandlers::draw_for_one(JNIEnv* jni, const SessionPtr& session, std::uint8_t what,
                                   Reply reply) {
  const auto map = draw(jni);
  if (!map) return reply.fail(FailCode::kRefused, map.message());
  if (!send(session, *map, what)) {
    return reply.fail(FailCode::kRefused, "the map was not read in time");
  }
  reply.send_empty();
}

bool HeapMapHandlers::send(const SessionPtr& session, const HeapMap& map, std::uint8_t what) const {
  session->send_event(to_chunk(HeapStart{kJavaHeap}));
  bool reads = true;
  std::size_t sent = 0;
  const ChunkType type = what == kObjects ? kObjectSegment : kMergedSegment;
  HeapMapWriter writer(type, unit_, [&](Chunk chunk) {
    if (!reads) return;
    sent += chunk.data.size();
    session->send_event(std::move(chunk));
    if (sent < kPortion) return;
    sent = 0;
    reads = session->wait_for_room(kPatience);
  });
  map.write(writer, what != kObjects);
  if (!reads) {
    log_debug("heap map: session {} has not read on", session->id());
    return false;
  }
  session->send_event(to_chunk(HeapEnd{kJavaHeap}));
  return true;
}

}  // namespace ddm
