// HotSpot's performance data file, /tmp/hsperfdata_USER/PID, which jps reads, too.
//
//   off size                            entry: off size
//    0   4  CA FE C0 C0                          0   4  length of the entry
//    4   1  byte order: 1 = little               4   4  offset of the name in it, ends with NUL
//    7   1  1 = complete                         8   4  elements; 0 = one value
//    8   4  bytes in use                        12   1  type: 'B' text
//   24   4  offset of the first entry           16   4  offset of the value
//   28   4  number of entries
//
// Pure; the bytes may come from a hostile process.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ddm {

// The text entry of that name. None: no such entry, or the file is incomplete or another format.
std::optional<std::string> perf_text(std::string_view file, std::string_view name);

}  // namespace ddm
