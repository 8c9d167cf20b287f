// A map of the Java heap at one moment: areas of memory, and runs of equal state in them.
//
// Drawn by HeapMapper. Positions are bytes from the heap's base. Pure data; not thread-safe while it
// is drawn.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "heap/walk/run_log.h"
#include "wire/chunks/heap_map_writer.h"
#include "wire/chunks/heap_regions.h"

namespace ddm {

// An area without holes: a region, a space. Its runs are in one of the logs, from `log_offset` on.
struct HeapArea {
  std::uint64_t position = 0;
  std::uint64_t bytes = 0;
  std::size_t log = 0;
  std::size_t log_offset = 0;
  bool free_region = false;  // without objects; may be uncommitted
};

// Of a run: neither free nor unreadable.
constexpr bool is_object(std::uint8_t state) {
  return solidity_of(state) != Solidity::kFree && kind_of(state) != HeapKind::kUnknown;
}

class HeapMap {
 public:
  std::vector<RunLog> logs;  // one per interleaved walk
  std::vector<HeapArea> areas;
  // In order of address once the map is complete. Empty: roles are unknown.
  std::vector<HeapRegion> regions;
  std::vector<TileClass> tiles;  // classes by address, if requested
  std::uint64_t tile_bytes = 0;
  std::vector<std::string> tile_classes;
  bool true_addresses = true;  // false: positions are synthetic, in the order of a JVMTI iteration
  std::uint64_t gaps = 0;      // ranges that could not be parsed
  std::chrono::nanoseconds walk_cpu{};    // of the walk alone, all threads
  std::chrono::nanoseconds walk_time{};   // of the walk alone, wall time
  std::size_t threads = 1;                // that walked
  std::chrono::nanoseconds pause_time{};  // of the whole call that stops the program

  // Sorts the areas by address.
  void sort_areas() { std::ranges::sort(areas, {}, &HeapArea::position); }
  // Sorts, and computes all figures; drops regions of which the map contains nothing.
  void complete();

  // A log was full, and entries were lost.
  bool full() const { return std::ranges::any_of(logs, &RunLog::full); }
  std::size_t log_bytes() const;

  std::uint64_t objects() const { return objects_; }
  std::uint64_t committed_bytes() const { return committed_; }

  // Calls take(position, bytes, state) for each run, in order of address.
  template <typename Take>
  void for_each_run(Take take) const {
    for (const HeapArea& area : areas) for_each_run_of(area, take);
  }
  template <typename Take>
  void for_each_run_of(const HeapArea& area, Take&& take) const {
    const RunLog& log = logs[area.log];
    std::size_t offset = area.log_offset;
    for (std::uint64_t done = 0; done < area.bytes && offset < log.size();) {
      const RunLog::Entry entry = log.read(offset);
      take(area.position + done, entry.bytes, entry.state);
      done += entry.bytes;
    }
  }

  // Writes the whole map, and finishes the writer. `merge`: merges adjacent runs of equal state;
  // free ones are always merged.
  void write(HeapMapWriter& writer, bool merge) const;

 private:
  void complete_regions();

  std::uint64_t objects_ = 0;
  std::uint64_t committed_ = 0;
};

// Splits humongous areas, which a walk returns as one, into regions of `region_bytes`.
void split_humongous(HeapMap& map, std::uint64_t region_bytes);

}  // namespace ddm
