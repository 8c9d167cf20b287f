// The table of timed methods in text reports, at most 80 columns wide. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "records/time_data.h"

namespace ddm {

// "" without methods. `times`: the most time in itself first; the first `rows` of them.
std::string method_table(const std::vector<MethodTime>& times, std::size_t rows);

}  // namespace ddm
