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
  std::vector<HeapRegion> regions;  // empty: the target does not tell
  HeapClasses classes;
};

// Asks for regions with every map of this connection, as far as the target knows of such.
void ask_for_regions(DdmClient& client, RegionDetail detail);

// After a full collection, if `live`: what it has left is alive, but for little.
Result<HeapPicture> read_map(DdmClient& client, bool live);

// A map after each of so many collections; `take` has each as it comes, and false from it ends it.
std::optional<Error> watch_maps(DdmClient& client, std::size_t count,
                                const std::function<bool(HeapPicture)>& take);

}  // namespace ddm
