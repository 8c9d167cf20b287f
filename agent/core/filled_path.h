// Expands %p and %t in paths from options. Pure.
#pragma once

#include <cstdint>
#include <string>

namespace ddm {

// YYYYMMDD-HHMMSS of local time, from seconds since the epoch.
std::string time_text(std::int64_t seconds);

// %p -> pid, %t -> time, %% -> %; other text is copied.
std::string fill_in_path(const std::string& path, std::int64_t pid, const std::string& time);

}  // namespace ddm
