// Key figures of a program, fetched by a few short requests.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "ddm_client.h"
#include "output.h"
#include "wire/chunks/heap_info.h"

namespace ddm {

// Unknown figures are empty: other DDM programs support less, and nothing is counted before
// tracking is switched on for the first time.
struct JvmFigures {
  bool tracking = false;
  std::int64_t period =
      0;  // the number of times that tracking was switched on; each resets the figures
  std::int64_t seen = 0, seen_bytes = 0;
  std::optional<std::int64_t> live_bytes;  // with live=
  std::optional<std::int64_t> heap_used, heap_max;
  std::optional<std::int64_t> collections, collection_ms;
  std::optional<std::int64_t> threads;
};

Result<JvmFigures> jvm_figures(DdmClient& client);

// The Java heap as a whole. Figures of a program without HPUS end at 2 GiB - 1, and name no
// collectors. None: it does not tell them.
Result<std::optional<HeapUsage>> heap_usage(DdmClient& client);

// None: there is no limit, or it is unknown.
std::optional<std::uint64_t> heap_max(const HeapUsage& usage);

// The rate between two readings. None: tracking is off, there was a reset in between, or this is
// the first reading.
std::optional<double> bytes_per_second(const std::optional<JvmFigures>& before,
                                       const JvmFigures& now, std::chrono::duration<double> passed);

// The rate in whole bytes, or null.
Json json_of_rate(const std::optional<double>& bytes_per_second);

// "4.5 MiB"; a value truncated on the wire is ">= 2 GiB".
std::string heap_bytes(std::uint64_t bytes);

}  // namespace ddm
