// Which line the bytecode from an index on belongs to, as the VM keeps it behind a method's bytecode
// (CompressedLineNumberWriteStream in HotSpot).
//
//   entry   u1: 5 bits more bytes of code, 3 bits more lines, than the entry before; or
//           0xff, and both as signed numbers (number_stream.h)
//   end     u1 0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stack/names/name_table.h"

namespace ddm {

// In the table's order. Nothing: it does not end where it should, or goes beyond `code_size`.
std::optional<std::vector<LineEntry>> read_line_table(std::span<const std::uint8_t> table,
                                                      std::uint8_t stream_base,
                                                      std::size_t code_size);

}  // namespace ddm
