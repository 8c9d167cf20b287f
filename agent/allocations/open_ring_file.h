// ring=PATH: creates the ring file where it can be kept best.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "allocations/store/ring_file.h"
#include "allocations/tracking_options.h"

namespace ddm {

// `text`: as given, %p not yet expanded. `load_time`: seconds since the epoch. Null, and logged, if
// there is no ring file; records are then in memory only.
std::unique_ptr<RingFile> open_ring_file(const std::string& text, std::int64_t pid,
                                         std::int64_t load_time, const TrackingOptions& options);

}  // namespace ddm
