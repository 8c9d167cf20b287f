// A map of the Java heap at one moment: pieces of memory, and runs of the same state in them.
//
// Made by HeapMapper, read by whoever sends or counts it. Positions are bytes from the heap's base.
// Pure data; not thread-safe while it is made.
#pragma once

#include <array>
#include <chrono>
#include <string>
#include <vector>

#include "heap/walk/run_log.h"
#include "wire/chunks/heap_map_writer.h"
#include "wire/chunks/heap_regions.h"

namespace ddm {

// A piece without holes: a region, a space. Its runs lie in one of the logs, from `log_offset` on.
struct HeapArea {
  std::uint64_t position = 0;
  std::uint64_t bytes = 0;
  std::size_t log = 0;
  std::size_t log_offset = 0;
  bool free_region = false;  // has no object; whether it is committed has to be found out
};

class HeapMap {
 public:
  struct Count {
    std::uint64_t objects = 0;
    std::uint64_t bytes = 0;
  };

  std::vector<RunLog> logs;  // one for each of the walks that went side by side
  std::vector<HeapArea> areas;
  // What its pieces are for; in the order of addresses once the map is complete. Empty: not told.
  std::vector<HeapRegion> regions;
  std::vector<TileClass> tiles;  // which classes lie where, if that was asked for
  std::uint64_t tile_bytes = 0;
  std::vector<std::string> tile_classes;
  bool true_addresses = true;  // false: positions are made up, objects in the order of a JVMTI walk
  std::uint64_t gaps = 0;      // stretches that made no sense
  std::chrono::nanoseconds walk_cpu{};    // of the walk alone, all threads
  std::chrono::nanoseconds walk_time{};   // of the walk alone, by the clock
  std::size_t threads = 1;                // that walked
  std::chrono::nanoseconds pause_time{};  // of the whole call that stops the program
  std::chrono::system_clock::time_point when;

  // Into the order of addresses.
  void sort_areas();
  // And the figures, those of the regions too; a region of which nothing is in the map is dropped.
  void complete();

  // Entries were lost for want of room.
  bool full() const;
  std::size_t log_bytes() const;

  const Count& count(std::uint8_t state) const { return counts_[state & 63]; }
  std::uint64_t objects() const { return objects_; }
  std::uint64_t committed_bytes() const { return committed_; }

  // Calls take(position, bytes, state) for each run, in the order of addresses.
  template <typename Take>
  void for_each_run(Take take) const {
    for (const HeapArea& area : areas) {
      const RunLog& log = logs[area.log];
      std::size_t offset = area.log_offset;
      for (std::uint64_t done = 0; done < area.bytes && offset < log.size();) {
        const RunLog::Entry entry = log.read(offset);
        take(area.position + done, entry.bytes, entry.state);
        done += entry.bytes;
      }
    }
  }

  // The whole map through `writer`, finished. `merge`: neighbours of the same state are one;
  // free space always is.
  void write(HeapMapWriter& writer, bool merge) const;

 private:
  void complete_regions();

  std::array<Count, 64> counts_{};
  std::uint64_t objects_ = 0;
  std::uint64_t committed_ = 0;
};

// Into regions of so many bytes, each: what lies across several of them comes in one piece from a
// walk.
void split_humongous(HeapMap& map, std::uint64_t region_bytes);

}  // namespace ddm
