// The options of DYPER. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/option_table.h"

namespace ddm {

struct DyperOptions {
  std::string address;     // where documents are exchanged, as given; "" = nowhere
  std::string modes_file;  // of DYPATCH's modes; "" = none

  // The rows store into this object, which must outlive them.
  std::vector<OptionRow> rows();
};

}  // namespace ddm
