#include "heap/heap_map_handlers.h"

#include "wire/chunks/heap_info.h"

namespace ddm {
namespace {

constexpr std::uint8_t kObjects = 1;  // HPSG's `what`
constexpr unsigned kDetailShift = 1;  // above it

std::vector<Chunk> start_of(const HeapMap& map, RegionDetail detail) {
  std::vector<Chunk> chunks{to_chunk(HeapStart{kJavaHeap})};
  if (detail != RegionDetail::kNone) chunks.push_back(to_chunk(HeapRegions{map.regions}));
  if (detail == RegionDetail::kClasses) {
    chunks.push_back(to_chunk(HeapClasses{map.tile_bytes, map.tile_classes, map.tiles}));
  }
  return chunks;
}

}  // namespace

void HeapMapHandlers::add_to(Dispatcher& dispatcher) {
  dispatcher.offer({kHeapRegionsFeature});
  for (const ChunkType type : {kMergedSegment, kObjectSegment}) {
    dispatcher.add(type, Lane::kQuick, this, &HeapMapHandlers::ask);
  }
  dispatcher.add(HeapRegionsRequest::kType, Lane::kQuick, this, &HeapMapHandlers::regions);
  requests_.set_drawer([this](JNIEnv* jni, const auto& receivers) { draw_for(jni, receivers); });
}

void HeapMapHandlers::ask(const Request& request, Reply reply) {
  auto wanted = decode<HeapSegmentsRequest>(request.data);
  if (!wanted) {
    return reply.fail_bad_data("u1 when: 0 never, 1 every GC, 2 now; u1 what: 0 HPSG, 1 HPSO");
  }
  if (request.type == kObjectSegment) wanted->what = kObjects;
  requests_.ask(request, std::move(reply), *wanted);
}

void HeapMapHandlers::regions(const Request& request, Reply reply) {
  const auto wanted = decode<HeapRegionsRequest>(request.data);
  if (!wanted) return reply.fail_bad_data("u1 what: 0 no more, 1 regions, 2 regions and classes");
  request.session->modes.regions = wanted->detail;
  reply.send_empty();
}

void HeapMapHandlers::draw_for(JNIEnv* jni, const std::vector<MapRequests::Receiver>& receivers) {
  // The detail of regions is part of the requested form of a map.
  std::vector<MapRequests::Receiver> each = receivers;
  RegionDetail most = RegionDetail::kNone;
  for (MapRequests::Receiver& one : each) {
    const RegionDetail detail = one.session->modes.regions;
    most = std::max(most, detail);
    one.what = static_cast<std::uint8_t>(one.what | static_cast<unsigned>(detail) << kDetailShift);
  }
  const auto map = mapper_.draw(jni, most);
  if (!map) return MapRequests::fail(receivers, map.message());
  objects_ = map->objects();
  const auto envelope_for = [&](std::uint8_t what) {
    return MapRequests::Envelope{start_of(*map, static_cast<RegionDetail>(what >> kDetailShift)),
                                 to_chunk(HeapEnd{kJavaHeap}),
                                 (what & kObjects) != 0 ? kObjectSegment : kMergedSegment, unit_};
  };
  requests_.deliver(each, envelope_for, [&](std::uint8_t what, HeapMapWriter& writer) {
    map->write(writer, /*merged=*/(what & kObjects) == 0);
  });
}

}  // namespace ddm
