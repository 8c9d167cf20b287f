// The option of heap maps. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "core/option_table.h"

namespace ddm {

struct HeapOptions {
  std::int64_t unit = 8;  // bytes of one allocation unit of a heap map

  // The rows store into this object, which must outlive them.
  std::vector<OptionRow> rows();
};

}  // namespace ddm
