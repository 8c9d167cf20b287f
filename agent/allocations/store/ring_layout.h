// The ring file's bytes, as docs/ring-format.md has them. Little-endian; offsets are fixed by the
// header, so that a file is readable wherever it is copied to.
//
//   0      RingHeader       written once, before the file has its name
//   128    RingMarks        state, counters, which facts are valid
//   512    RingFacts[2]     summary of the run, written in turns
//   4096   names            NameSection, two halves: classes and methods
//   ...    threads          NameSection, two halves: thread names
//   ...    slots            ring_slot.h
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "allocations/store/alloc_ring.h"
#include "stack/names/name_log.h"

namespace ddm {

inline constexpr std::array<char, 8> kRingMagic = {'D', 'D', 'M', 'R', 'I', 'N', 'G', '\n'};
inline constexpr std::uint32_t kRingVersion = 1;

struct RingHeader {
  std::array<char, 8> magic = kRingMagic;
  std::uint32_t version = kRingVersion;
  std::uint32_t checksum = 0;  // of this struct with checksum = 0: 32 bit FNV-1a
  std::uint64_t file_bytes = 0;
  std::uint32_t records = 0;
  std::uint32_t depth = 0;
  std::uint32_t slot_bytes = 0;
  std::uint32_t record_bytes = 0;  // of a slot, before its frames
  std::uint64_t names_at = 0;
  std::uint64_t names_half_bytes = 0;
  std::uint64_t threads_at = 0;
  std::uint64_t threads_half_bytes = 0;
  std::uint64_t slots_at = 0;
  std::int64_t pid = 0;
  std::int64_t created_ms = 0;  // wall clock
};
static_assert(sizeof(RingHeader) == 96);

enum class RingState : std::uint32_t {
  kInUse = 1,  // the program runs, or was ended before it could say so
  kEnded = 2,  // it has ended in the usual way
};

struct RingMarks {
  std::atomic<RingState> state{RingState::kInUse};
  RingCounters counters;
  std::atomic<std::uint64_t> facts_turn{0};  // RingFacts[facts_turn % 2] are whole
};
static_assert(sizeof(RingMarks) == 192);

// What the summary of a report says, as of `updated_ms`. Texts end at their first NUL.
struct RingFacts {
  std::int64_t updated_ms = 0;  // wall clock; 0 = never
  std::int64_t tracked_ms = 0;
  std::int64_t seen = 0;
  std::int64_t seen_bytes = 0;
  std::int64_t dropped = 0;
  std::int64_t unattributed_bytes = -1;  // -1: not known
  std::int64_t classes_rewritten = 0;
  std::array<char, 16> engine{};
  std::array<char, 16> walker{};
  std::array<char, 256> vm{};
  std::array<char, 680> app{};
};
static_assert(sizeof(RingFacts) == 1024);

inline constexpr std::size_t kRingMarksAt = 128;
inline constexpr std::size_t kRingFactsAt = 512;
inline constexpr std::size_t kRingHeadBytes = 4096;

// Header of a file for so many records, its checksum set. `record_bytes` etc. are this build's.
RingHeader ring_header(std::uint32_t records, std::uint32_t depth);
std::uint32_t ring_checksum(RingHeader header);

}  // namespace ddm
