// The layout of ring files, as in docs/ring-format.md. Little-endian; the header contains all
// offsets, so a file is readable on any machine. Files of version 1 have no nodes and frames, those
// of version 2 no sites.
//
//   0      RingHeader       written once, before the file has its name
//   128    RingMarks        state, counters, which facts are valid
//   512    RingFacts[2]     summary of the run, written in turns
//   4096   names            NameSection, two halves: classes and methods
//   ...    threads          NameSection, two halves: thread names
//   ...    slots            ring_slot.h
//   ...    nodes, frames    stacks, tree_copy.h
//   ...    sites            site_copy.h
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "allocations/store/alloc_ring.h"
#include "allocations/store/site_copy.h"
#include "stack/names/name_log.h"
#include "stack/tree/tree_copy.h"

namespace ddm {

inline constexpr std::array<char, 8> kRingMagic = {'D', 'D', 'M', 'R', 'I', 'N', 'G', '\n'};
inline constexpr std::uint32_t kRingVersion = 3;

struct RingHeader {
  std::array<char, 8> magic = kRingMagic;
  std::uint32_t version = kRingVersion;
  std::uint32_t checksum = 0;  // of this struct with checksum = 0: 32-bit FNV-1a
  std::uint64_t file_bytes = 0;
  std::uint32_t records = 0;
  std::uint32_t depth = 0;
  std::uint32_t slot_bytes = 0;
  std::uint32_t record_bytes = 0;  // per slot, without its frames
  std::uint64_t names_at = 0;
  std::uint64_t names_half_bytes = 0;
  std::uint64_t threads_at = 0;
  std::uint64_t threads_half_bytes = 0;
  std::uint64_t slots_at = 0;
  std::int64_t pid = 0;
  std::int64_t created_ms = 0;  // wall clock
  // From here on not in version 1.
  std::uint64_t nodes_at = 0;
  std::uint64_t frames_at = 0;
  std::uint32_t nodes = 0;
  std::uint32_t frames = 0;
  // From here on not in version 2.
  std::uint32_t sites = 0;
  std::uint32_t books = 0;

  std::uint64_t sites_at() const {
    return (frames_at + frames * sizeof(TreeCopy::FrameWord) + 63) / 64 * 64;
  }
};
static_assert(sizeof(RingHeader) == 128);
constexpr std::size_t ring_header_bytes(std::uint32_t version) {
  return version == 1 ? 96 : version == 2 ? 120 : sizeof(RingHeader);
}

enum class RingState : std::uint32_t {
  kInUse = 1,  // the program runs, or did not end normally
  kEnded = 2,  // it ended normally
};

struct RingMarks {
  std::atomic<RingState> state{RingState::kInUse};
  RingCounters counters;
  std::atomic<std::uint64_t> facts_turn{0};  // RingFacts[facts_turn % 2] are complete
  std::atomic<std::uint64_t> tree{0};        // AllocRecord::tree of records whose stack is in nodes
};
static_assert(sizeof(RingMarks) == 192);

// A report's summary as of `updated_ms`. Texts end at the first NUL.
struct RingFacts {
  std::int64_t updated_ms = 0;  // wall clock; 0 = never
  std::int64_t tracked_ms = 0;
  std::int64_t seen = 0;
  std::int64_t seen_bytes = 0;
  std::int64_t dropped = 0;
  std::int64_t unattributed_bytes = -1;  // -1: unknown
  std::int64_t classes_rewritten = 0;
  std::array<char, 16> engine{};
  std::array<char, 16> walker{};
  std::array<char, 256> vm{};
  std::array<char, 664> app{};
  // Older files of version 3 have more of `app` in these two, as a rule zeros.
  std::int64_t virtual_stack_bytes_plus_1 = 0;  // of the unattributed ones; 0: unknown
  std::int64_t interval = 0;                    // as in ReportSummary
};
static_assert(sizeof(RingFacts) == 1024);

inline constexpr std::size_t kRingMarksAt = 128;
inline constexpr std::size_t kRingFactsAt = 512;
inline constexpr std::size_t kRingHeadBytes = 4096;

// A header for this many records, and for a tree of up to `nodes` words, without its checksum.
RingHeader ring_header(std::uint32_t records, std::uint32_t depth, std::uint32_t nodes);
std::uint32_t ring_checksum(RingHeader header);

}  // namespace ddm
