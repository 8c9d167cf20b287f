#include "handlers/heap_map_handlers.h"

#include "ddm/heap_info.h"
#include "log.h"

namespace ddm {
namespace {

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
  requests_.ask(request, std::move(reply), {wanted->when, wanted->what}, &SessionModes::java_maps,
                [this, what = wanted->what](JNIEnv* jni, Session& session) {
                  const auto map = draw(jni);
                  return map ? send(session, *map, what) : map.message();
                });
}

Result<HeapMap> HeapMapHandlers::draw(JNIEnv* jni) {
  auto map = mapper_.draw(jni);
  if (map) objects_ = map->objects();
  return map;
}

void HeapMapHandlers::draw_for_all(JNIEnv* jni) {
  const auto sessions = requests_.takers(&SessionModes::java_maps);
  if (sessions.empty()) return;
  const auto map = draw(jni);
  if (!map) {
    log_warn("heap map: {}", map.message());
    return;
  }
  for (const SessionPtr& session : sessions) {
    send(*session, *map, session->modes.java_maps.load().what);
  }
}

std::string HeapMapHandlers::send(Session& session, const HeapMap& map, std::uint8_t what) const {
  const bool objects = what == kObjects;
  return MapRequests::send(session,
                           {to_chunk(HeapStart{kJavaHeap}), to_chunk(HeapEnd{kJavaHeap}),
                            objects ? kObjectSegment : kMergedSegment, unit_},
                           [&](HeapMapWriter& writer) { map.write(writer, !objects); });
}

}  // namespace ddm
