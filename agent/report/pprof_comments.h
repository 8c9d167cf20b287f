// Prefixes of the comments that describe a profile's (.pb.gz) figures: report_pprof.cpp writes them,
// `ddm gate` reads them.
#pragma once

#include <string_view>

namespace ddm {

inline constexpr std::string_view kPprofVm = "vm: ";  // followed by "vm" of a jsonl summary
inline constexpr std::string_view kPprofEstimated = "estimated: ";
inline constexpr std::string_view kPprofRecentOnly = "recent records alone (sites=0)";

}  // namespace ddm
