// The option of heap maps. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "core/option_table.h"

namespace ddm {

struct HeapOptions {
  std::int64_t unit = 8;  // bytes that one unit of a heap map stands for

  // The rows store into this object, which outlives them.
  std::vector<OptionRow> rows();
};

}  // namespace ddm
