// A sweep as LiveObjects makes one.
#pragma once

#include <cstdint>
#include <utility>

#include "allocations/store/sites.h"

namespace ddm {

// After pause `gc`: those are dead for which `dies(object)` is true.
template <typename Dies>
void sweep_live(Sites& sites, std::uint64_t gc, std::uint32_t now, Dies dies) {
  LiveTable& table = *sites.live();
  LiveStore::Chunks chunks = table.take();
  chunks.sift(gc, [&](const LiveObject& one) {
    if (!dies(one)) return true;
    table.died(one, now);
    return false;
  });
  table.begin_ages(gc);
  table.count_ages(chunks);
  table.give_back_swept(std::move(chunks));
  table.note_all(BirthTime::ms(now));
  sites.table().for_each([&](SiteNumber site, const SiteSum&) { table.note(site); });
}

}  // namespace ddm
