// pprof's profiles as they are written (report_pprof.cpp), read again. Pure; the bytes come from
// another process and may be anything.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"

namespace ddm {

// What a gzip file holds, at most this much of it.
Result<std::string> unzipped(std::string_view packed, std::size_t most);
std::string zipped(std::string_view bytes);

// The profile shows this type of value first, such as "inuse_space". The error: it has none such.
Result<std::string> with_default_type(std::string profile, std::string_view type);

// What `after` has more than `before` of each stack and label, in `nanos` until its end; all values
// may be less. The error: they are damaged, or of different values.
Result<std::string> pprof_difference(std::string_view before, std::string_view after,
                                     std::int64_t nanos);

}  // namespace ddm
