// Decodes the VM's line table, which follows a method's bytecode (CompressedLineNumberWriteStream
// in HotSpot).
//
//   entry   u1: 5 bits bytecode distance, 3 bits line distance to the previous entry; or
//           0xff, and both as signed numbers (number_stream.h)
//   end     u1 0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stack/names/name_table.h"

namespace ddm {

// In the table's order. nullopt: it does not end properly, or exceeds `code_size`.
std::optional<std::vector<LineEntry>> read_line_table(std::span<const std::uint8_t> table,
                                                      std::uint8_t stream_base,
                                                      std::size_t code_size);

}  // namespace ddm
