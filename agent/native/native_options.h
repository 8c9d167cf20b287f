// The option of native memory. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "core/option_table.h"

namespace ddm {

struct NativeOptions {
  std::int64_t interval = 0;  // bytes between sampled native allocations; 0 = off

  // The rows store into this object, which must outlive them.
  std::vector<OptionRow> rows();
};

}  // namespace ddm
