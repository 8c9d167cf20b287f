// What a program says of itself in a few figures, at the price of some short requests.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "ddm_client.h"

namespace ddm {

// What is not told is not there: other DDM programs say less, and nothing is counted before tracking
// is on for the first time.
struct JvmFigures {
  bool tracking = false;
  std::int64_t period = 0;  // how many times tracking was switched on: figures began anew
  std::int64_t seen = 0, seen_bytes = 0;
  std::optional<std::int64_t> live_bytes;  // with live=
  std::optional<std::int64_t> heap_used, heap_max;
  std::optional<std::int64_t> collections, collection_ms;
  std::optional<std::int64_t> threads;
};

Result<JvmFigures> jvm_figures(DdmClient& client);

// Between two looks. None: tracking is off; 0: it began anew meanwhile, or there was no look before.
std::optional<double> bytes_per_second(const std::optional<JvmFigures>& before,
                                       const JvmFigures& now, std::chrono::duration<double> passed);

}  // namespace ddm
