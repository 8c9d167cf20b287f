// What is counted at a site: one allocation, and the sum of a site's. Plain data.
#pragma once

#include <cstdint>

#include "allocations/store/live_ages.h"
#include "stack/frame.h"
#include "stack/names/name_table.h"

namespace ddm {

// One allocation, or a sample that represents more.
struct SiteEntry {
  SiteEntry() {}  // uninitialized: journals contain many
  SiteEntry(NameId class_of, TraceNumber from, std::int64_t bytes, double stands_for,
            std::uint64_t weak_handle = 0, std::uint32_t born_at = 0, std::uint64_t gc = 0)
      : class_id(class_of),
        trace(from),
        size(bytes),
        weight(stands_for),
        handle(weak_handle),
        born(born_at),
        born_gc(BirthGc::of(gc)) {}
  SiteEntry(const SiteEntry&) = default;
  // Field by field: as a block, an entry made just before would wait for the store buffer.
  SiteEntry& operator=(const SiteEntry& one) {
    class_id = one.class_id;
    trace = one.trace;
    size = one.size;
    weight = one.weight;
    handle = one.handle;
    born = one.born;
    born_gc = one.born_gc;
    return *this;
  }

  NameId class_id;
  TraceNumber trace;  // kNoTrace: only the class is known
  std::int64_t size;
  double weight;         // number of allocations that it represents
  std::uint64_t handle;  // 0: not followed
  std::uint32_t born;    // BirthTime; 0: not eligible for following
  BirthGc::Number born_gc;
};

struct SiteSum {
  NameId class_id = kUnknownName;
  TraceNumber trace = kNoTrace;
  double count = 0;
  double bytes = 0;  // exact up to 2^53

  void add(const SiteEntry& one) {
    count += one.weight;
    bytes += one.weight * static_cast<double>(one.size);
  }
  static std::uint64_t key_of(NameId class_id, TraceNumber trace) {
    return std::uint64_t{trace} << 32 | class_id;
  }
  std::uint64_t key() const { return key_of(class_id, trace); }
};

}  // namespace ddm
