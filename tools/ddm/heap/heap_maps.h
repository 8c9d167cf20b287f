// Maps of the Java heap as a target sends them: one now, or one after each collection.
#pragma once

#include <functional>
#include <vector>

#include "ddm_client.h"
#include "wire/chunks/heap_regions.h"
#include "wire/chunks/heap_segments.h"

namespace ddm {

struct HeapPicture {
  std::vector<HeapSegment> segments;
  bool by_object = false;           // runs are objects
  std::vector<HeapRegion> regions;  // empty: the target does not send them
  // False: the target lists its objects one after the other, since it cannot tell where they lie.
  bool places_known = true;
  HeapClasses classes;
};

// Requests regions with every map of this connection, if the target supports that.
void ask_for_regions(DdmClient& client, RegionDetail detail);

// With `live` after a full collection, so that nearly all objects of the map are reachable.
Result<HeapPicture> read_map(DdmClient& client, bool live);

// A map after each of the next collections, which `sink` receives.
std::optional<Error> watch_maps(DdmClient& client, std::size_t count,
                                const std::function<void(HeapPicture)>& sink);

}  // namespace ddm
