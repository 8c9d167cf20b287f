// Beginnings of the comments by which a profile (.pb.gz) says what its figures are:
// report_pprof.cpp writes them, `ddm gate` reads them.
#pragma once

#include <string_view>

namespace ddm {

inline constexpr std::string_view kPprofVm = "vm: ";  // what follows is as "vm" of a jsonl summary
inline constexpr std::string_view kPprofEstimated = "estimated: ";
inline constexpr std::string_view kPprofRecentOnly = "recent records alone (sites=0)";

}  // namespace ddm
