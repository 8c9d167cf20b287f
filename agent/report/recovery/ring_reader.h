// Reads a ring file: of a killed program, of a running one, or a damaged one.
//
// Nothing in the file is believed without a look: what makes no sense is left out and counted. The
// names go into a table of the reader's own, so that reports are written as from a live ring.
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
  ReportData data;     // data.names = names.get()
  bool ended = false;  // the program has ended in the usual way
  std::int64_t created_ms = 0;
  std::int64_t updated_ms = 0;   // when the summary's figures were taken
  std::uint64_t unfinished = 0;  // records that were being written
  std::uint64_t damaged = 0;     // records that make no sense
  std::uint64_t names_lost = 0;  // names that found no room in the file
};

struct RingReading {
  std::optional<RecoveredRing> ring;
  std::string error;  // why there is none
};

// `image`: the file's bytes, at an address divisible by 64. They may change meanwhile.
RingReading read_ring(std::span<const std::byte> image);

enum class ProgramState { kRunning, kKilled, kEnded };

struct RingFileReading {
  std::optional<RecoveredRing> ring;
  ProgramState state = ProgramState::kKilled;
  std::string error;  // with the path
};

// Looks at the file's lock to know whether the program still runs; takes none itself. Puts into the
// summary how the figures came about.
RingFileReading read_ring_file(const std::string& path);

}  // namespace ddm
