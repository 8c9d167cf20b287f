#include <catch2/catch.hpp>

#include "stack/walk/stored_code.h"

namespace ddm {
namespace {

using Table = std::vector<std::uint8_t>;

TEST_CASE("entries of a line table are differences, in a byte or in two numbers") {
  // 0: line 5 (a byte); 3: line 7; 2: line 300, 293 = 0x24a more, back by one
  const auto signed_number = [](std::int32_t number, std::uint8_t base) {
    auto value = static_cast<std::uint32_t>(number < 0 ? -2 * number - 1 : 2 * number);
    Table bytes;
    while (value >= 192u - base) {
      bytes.push_back(static_cast<std::uint8_t>(192 + (value - (192u - base)) % 64));
      value = (value - (192u - base)) / 64;
    }
    bytes.push_back(static_cast<std::uint8_t>(value + base));
    return bytes;
  };
  const std::uint8_t base = GENERATE(std::uint8_t{0}, std::uint8_t{1});
  Table table{0 << 3 | 5, 3 << 3 | 2, 0xff};
  for (const std::int32_t number : {-1, 293}) {
    const Table bytes = signed_number(number, base);
    table.insert(table.end(), bytes.begin(), bytes.end());
  }
  table.push_back(0);
  const std::vector<LineEntry> expected{{0, 5}, {3, 7}, {2, 300}};
  CHECK(read_line_table(table, base, 4) == expected);
  table.push_back(99);  // what follows is not the table's
  CHECK(read_line_table(table, base, 4) == expected);
}

TEST_CASE("a line table that does not end or leaves the code is none") {
  CHECK(read_line_table(Table{0}, 1, 0) == std::vector<LineEntry>{});
  CHECK_FALSE(read_line_table(Table{}, 1, 10));
  CHECK_FALSE(read_line_table(Table{2 << 3 | 1}, 1, 10));
  CHECK_FALSE(read_line_table(Table{0xff, 200, 200}, 1, 10));
  CHECK_FALSE(read_line_table(Table{4 << 3 | 1, 0}, 1, 4));
  CHECK_FALSE(read_line_table(Table{0xff, 2, 1, 0}, 1, 10));  // bytecode index -1
}

}  // namespace
}  // namespace ddm
