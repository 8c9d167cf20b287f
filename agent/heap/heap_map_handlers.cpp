#include "heap/heap_map_handlers.h"

#include "wire/chunks/heap_info.h"

namespace ddm {
namespace {

constexpr std::uint8_t kObjects = 1;  // HPSG's `what`

}  // namespace

void HeapMapHandlers::add_to(Dispatcher& dispatcher) {
  for (const ChunkType type : {kMergedSegment, kObjectSegment}) {
    dispatcher.add(type, Lane::kQuick, this, &HeapMapHandlers::ask);
  }
  requests_.set_drawer([this](JNIEnv* jni, const auto& receivers) { draw_for(jni, receivers); });
}

void HeapMapHandlers::ask(const Request& request, Reply reply) {
  auto wanted = HeapSegmentsRequest::decode(request.data);
  if (!wanted) {
    return reply.fail_bad_data("u1 when: 0 never, 1 every GC, 2 now; u1 what: 0 HPSG, 1 HPSO");
  }
  if (request.type == kObjectSegment) wanted->what = kObjects;
  requests_.ask(request, std::move(reply), *wanted);
}

void HeapMapHandlers::draw_for(JNIEnv* jni, const std::vector<MapRequests::Receiver>& receivers) {
  const auto map = mapper_.draw(jni);
  if (!map) return MapRequests::fail(receivers, map.message());
  objects_ = map->objects();
  const auto envelope_for = [this](std::uint8_t what) {
    return MapRequests::Envelope{to_chunk(HeapStart{kJavaHeap}), to_chunk(HeapEnd{kJavaHeap}),
                                 what == kObjects ? kObjectSegment : kMergedSegment, unit_};
  };
  requests_.deliver(receivers, envelope_for, [&](std::uint8_t what, HeapMapWriter& writer) {
    map->write(writer, /*merged=*/what != kObjects);
  });
}

}  // namespace ddm
