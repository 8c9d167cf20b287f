// Reads a ring file: of a killed program, of a running one, or a damaged one.
//
// Everything in the file is validated; invalid parts are dropped and counted. The names go into a
// table of the reader's own, so that reports are written as from a live ring.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "report/report.h"
#include "stack/names/name_table.h"

namespace ddm {

struct RecoveredRing {
  std::unique_ptr<NameTable> names;
  ReportData data;               // data.names = names.get()
  bool ended = false;            // the program ended normally
  std::int64_t updated_ms = 0;   // when the summary's figures were taken
  std::uint64_t unfinished = 0;  // records that were incomplete
  std::uint64_t damaged = 0;     // invalid records
  std::uint64_t names_lost = 0;  // names that did not fit in the file
};

struct RingReading {
  std::optional<RecoveredRing> ring;
  std::string error;  // why there is no data
};

// `image`: the file's bytes, at an address divisible by 64; another process may change them
// concurrently.
RingReading read_ring(std::span<const std::byte> image);

enum class ProgramState { kRunning, kKilled, kEnded };

struct RingFileReading {
  std::optional<RecoveredRing> ring;
  ProgramState state = ProgramState::kKilled;
  std::string error;  // with the path
};

// Tests the file's lock to find out whether the program still runs; takes no lock itself. Notes in
// the summary how the figures were obtained.
RingFileReading read_ring_file(const std::string& path);

}  // namespace ddm
