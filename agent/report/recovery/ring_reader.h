// Reads a ring file: of a killed program, of a running one, or a damaged one.
//
// Everything in the file is validated; invalid parts are dropped and counted. The names go into a
// table of the reader's own, so that reports are written as from a live ring.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/result.h"
#include "report/report.h"
#include "stack/names/name_table.h"

namespace ddm {

enum class ProgramState { kRunning, kKilled, kEnded };

struct RecoveredRing {
  std::unique_ptr<NameTable> names;
  ReportData data;  // data.names = names.get()
  ProgramState state = ProgramState::kKilled;
  std::int64_t updated_ms = 0;   // when the summary's figures were taken
  std::uint64_t unfinished = 0;  // records that were incomplete
  std::uint64_t damaged = 0;     // invalid records
  std::uint64_t names_lost = 0;  // names that did not fit in the file
  std::string cut_off;           // how much of the file is there; "": all of it
};

// What tells ring files from one another, without their records.
struct RingHead {
  std::int64_t pid = 0;
  std::string app;  // "": tracking was never on
  ProgramState state = ProgramState::kKilled;
  std::int64_t written_ms = 0;  // when its figures were written last, or the file made
  std::int64_t file_bytes = 0;
};

// `image`: the file's bytes, at an address divisible by 64; another process may change them
// concurrently. A running program counts as killed. The error ends a sentence about the file.
Result<RecoveredRing> read_ring(std::span<const std::byte> image);
Result<RingHead> read_ring_head(std::span<const std::byte> image);

// Tests the file's lock to find out whether the program still runs; takes no lock itself. Notes in
// the summary how the figures were obtained.
Result<RecoveredRing> read_ring_file(const std::string& path);
Result<RingHead> read_ring_file_head(const std::string& path);

}  // namespace ddm
