#include "heap/heap_maps.h"

#include "interrupt.h"
#include "wire/chunks/app_state.h"
#include "wire/chunks/fail.h"

namespace ddm {
namespace {

// From another VM's collection to the end of its map.
constexpr std::chrono::seconds kMapTime{60};

// Of 4 GiB each: more than processors address.
constexpr std::uint32_t kMostSlices = 1 << 24;

Chunk wish_for(SegmentsWhen when, std::uint8_t what) {
  return to_chunk(HeapSegmentsRequest{{when, what}});
}

// Puts maps together from events; an error is for good.
class MapReader {
 public:
  explicit MapReader(std::function<void(HeapPicture)> take) : take_(std::move(take)) {}

  std::optional<Error> add(const Chunk& event) {
    if (event.type == HeapStart::kType) map_ = {};
    if (event.type == HeapRegions::kType) {
      auto told = HeapRegions::decode(event.data);
      if (!told) return Error{"the target has sent regions that do not add up"};
      map_.regions = std::move(told->regions);
    }
    if (event.type == HeapClasses::kType) {
      auto told = HeapClasses::decode(event.data);
      if (!told) return Error{"the target has sent classes that do not add up"};
      map_.classes = std::move(*told);
    }
    if (event.type == kMergedSegment || event.type == kObjectSegment) {
      auto segment = HeapSegment::decode(event.data);
      if (!segment || segment->heap_id > kMostSlices) {
        return Error{"the target has sent a segment that does not add up"};
      }
      map_.by_object = event.type == kObjectSegment;
      map_.segments.push_back(std::move(*segment));
    }
    if (event.type == HeapEnd::kType) take_(std::exchange(map_, {}));
    return {};
  }

 private:
  const std::function<void(HeapPicture)> take_;
  HeapPicture map_;
};

// The last whole map among the events.
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
  for (const Chunk& event : events) {
    if (event.type == HeapEnd::kType) return true;
  }
  return false;
}

// As every DDM server gets one: after a collection.
Result<HeapPicture> map_after_collection(DdmClient& client) {
  auto done = client.request(wish_for(SegmentsWhen::kEveryGc, 0));
  if (done) done = client.request({kCollectGarbage, {}}, DdmClient::kLongWork);
  if (!done) return done.error();
  std::deque<Chunk> events = client.take_events();
  const auto deadline = std::chrono::steady_clock::now() + kMapTime;
  while (!has_end(events) && std::chrono::steady_clock::now() < deadline) {
    if (const auto error = client.listen(std::chrono::milliseconds(100))) return *error;
    for (Chunk& event : client.take_events()) events.push_back(std::move(event));
  }
  // A target that says no to that ends its maps with the connection, if not before.
  static_cast<void>(client.request(wish_for(SegmentsWhen::kNever, 0)));
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
  const auto done = client.ask(wish_for(SegmentsWhen::kNow, 1), DdmClient::kLongWork);
  if (!done) return done.error();
  // A target that knows no "now" has no words for it.
  const auto fail = done->type == Fail::kType ? Fail::decode(done->data) : std::nullopt;
  if (fail && !fail->message.empty()) return Error{fail->message};
  const std::deque<Chunk> events = client.take_events();
  if (has_end(events)) return map_in(events);
  return map_after_collection(client);  // "now" is our agent's own
}

std::optional<Error> watch_maps(DdmClient& client, std::size_t count,
                                const std::function<bool(HeapPicture)>& take) {
  client.take_events();
  if (const auto done = client.request(wish_for(SegmentsWhen::kEveryGc, 1)); !done) {
    return done.error();
  }
  std::size_t taken = 0;
  MapReader reader([&](HeapPicture map) {
    if (taken < count) taken = take(std::move(map)) ? taken + 1 : count;
  });
  while (taken < count && !interrupted()) {
    for (const Chunk& event : client.take_events()) {
      if (auto error = reader.add(event)) return error;
    }
    if (taken == count) break;
    if (auto error = client.listen(std::chrono::milliseconds(100))) return error;
  }
  static_cast<void>(client.request(wish_for(SegmentsWhen::kNever, 0)));
  client.take_events();
  return {};
}

}  // namespace ddm
