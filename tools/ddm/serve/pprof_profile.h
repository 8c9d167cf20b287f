// Reads the pprof profiles that report_pprof.cpp writes. Pure; the bytes come from another process
// and may be arbitrary.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"

namespace ddm {

// Decompresses a gzip file; more than `most` bytes are an error, and so is a second file behind it.
Result<std::string> unzipped(std::string_view packed, std::size_t most);
std::string zipped(std::string_view bytes);

// Makes this the type of value that pprof shows first, such as "inuse_space". The error: there is
// no such type.
Result<std::string> with_default_type(std::string profile, std::string_view type);

// The difference of `after` and `before` for each stack and label, which may be negative, of the
// types of values whose names begin with `types`; `nanos`: the duration. The error: a profile is
// damaged, or the types of values differ.
Result<std::string> pprof_difference(std::string_view before, std::string_view after,
                                     std::int64_t nanos, std::string_view types = "");

}  // namespace ddm
