#include "heap/heap_maps.h"

#include <algorithm>

#include "interrupt.h"
#include "wire/chunks/app_state.h"
#include "wire/chunks/fail.h"

namespace ddm {
namespace {

// The time from a collection in another VM to the end of its map.
constexpr std::chrono::seconds kMapTime{60};

// Of 4 GiB each: more than processors address.
constexpr std::uint32_t kMaxSlices = 1 << 24;

Chunk segments_request(SegmentsWhen when, std::uint8_t what) {
  return to_chunk(HeapSegmentsRequest{{when, what}});
}

// Assembles maps from events; an error is final.
class MapReader {
 public:
  explicit MapReader(std::function<void(HeapPicture)> sink) : sink_(std::move(sink)) {}

  std::optional<Error> add(const Chunk& event) {
    if (event.type == HeapStart::kType) map_ = {};
    if (event.type == HeapRegions::kType) {
      auto decoded = decode<HeapRegions>(event.data);
      if (!decoded) return Error{"the target has sent regions that do not add up"};
      map_.regions = std::move(decoded->regions);
      // An agent that knows places sends all of the heap's regions; ZGC's pages are no such.
      map_.places_known =
          !map_.regions.empty() && map_.regions.front().role < RegionRole::kSmallPage;
    }
    if (event.type == HeapClasses::kType) {
      auto decoded = decode<HeapClasses>(event.data);
      if (!decoded) return Error{"the target has sent classes that do not add up"};
      map_.classes = std::move(*decoded);
    }
    if (event.type == kMergedSegment || event.type == kObjectSegment) {
      auto segment = decode<HeapSegment>(event.data);
      if (!segment || segment->heap_id > kMaxSlices) {
        return Error{"the target has sent a segment that does not add up"};
      }
      map_.by_object = event.type == kObjectSegment;
      map_.segments.push_back(std::move(*segment));
    }
    if (event.type == HeapEnd::kType) sink_(std::exchange(map_, {}));
    return {};
  }

 private:
  const std::function<void(HeapPicture)> sink_;
  HeapPicture map_;
};

// The last complete map among the events.
Result<HeapPicture> map_in(const std::deque<Chunk>& events) {
  std::optional<HeapPicture> whole;
  MapReader reader([&whole](HeapPicture map) { whole = std::move(map); });
  for (const Chunk& event : events) {
    if (auto error = reader.add(event)) return std::move(*error);
  }
  if (!whole) return Error{"the target has sent no heap map"};
  return std::move(*whole);
}

bool has_end(const std::deque<Chunk>& events) {
  return std::ranges::find(events, HeapEnd::kType, &Chunk::type) != events.end();
}

// The map after a collection, which every DDM program sends.
Result<HeapPicture> map_after_collection(DdmClient& client) {
  auto done = client.request(segments_request(SegmentsWhen::kEveryGc, 0));
  if (done) done = client.request({kCollectGarbage, {}}, DdmClient::kLongWork);
  if (!done) return done.error();
  std::deque<Chunk> events = client.take_events();
  const auto deadline = std::chrono::steady_clock::now() + kMapTime;
  while (!has_end(events) && std::chrono::steady_clock::now() < deadline) {
    if (const auto error = client.listen(std::chrono::milliseconds(100))) return *error;
    for (Chunk& event : client.take_events()) events.push_back(std::move(event));
  }
  // If the target refuses, its maps end with the connection.
  static_cast<void>(client.request(segments_request(SegmentsWhen::kNever, 0)));
  return map_in(events);
}

}  // namespace

void ask_for_regions(DdmClient& client, RegionDetail detail) {
  static_cast<void>(client.request(to_chunk(HeapRegionsRequest{detail})));
}

Result<HeapPicture> read_map(DdmClient& client, bool live) {
  if (live) {
    const auto collected = client.request({kCollectGarbage, {}}, DdmClient::kLongWork);
    if (!collected) return collected.error();
  }
  client.take_events();
  const auto done = client.ask(segments_request(SegmentsWhen::kNow, 1), DdmClient::kLongWork);
  if (!done) return done.error();
  // A target that does not know "now" fails without a message.
  const auto fail = done->type == Fail::kType ? decode<Fail>(done->data) : std::nullopt;
  if (fail && !fail->message.empty()) return Error{fail->message};
  const std::deque<Chunk> events = client.take_events();
  if (has_end(events)) return map_in(events);
  return map_after_collection(client);  // "now" is an extension of this agent
}

std::optional<Error> watch_maps(DdmClient& client, std::size_t count,
                                const std::function<void(HeapPicture)>& sink) {
  client.take_events();
  if (const auto done = client.request(segments_request(SegmentsWhen::kEveryGc, 1)); !done) {
    return done.error();
  }
  std::size_t taken = 0;
  MapReader reader([&](HeapPicture map) {
    if (taken++ < count) sink(std::move(map));
  });
  while (taken < count && !interrupted()) {
    for (const Chunk& event : client.take_events()) {
      if (auto error = reader.add(event)) return error;
    }
    if (taken >= count) break;
    if (auto error = client.listen(std::chrono::milliseconds(100))) return error;
  }
  static_cast<void>(client.request(segments_request(SegmentsWhen::kNever, 0)));
  client.take_events();
  return {};
}

}  // namespace ddm
