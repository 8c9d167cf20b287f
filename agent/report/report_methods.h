// The table of timed methods, as text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/time_data.h"

namespace ddm {

// "" without any. `times`: largest self time first; shows the first `rows`, in lines of at most
// `columns`.
std::string method_table(const std::vector<MethodTime>& times, std::size_t rows,
                         std::size_t columns);

}  // namespace ddm
