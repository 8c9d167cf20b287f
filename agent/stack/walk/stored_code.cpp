#include "stack/walk/stored_code.h"

#include "stack/walk/number_stream.h"

namespace ddm {

std::optional<std::vector<LineEntry>> read_line_table(std::span<const std::uint8_t> table,
                                                      std::uint8_t stream_base,
                                                      std::size_t code_size) {
  constexpr std::uint8_t kEnd = 0, kNumbersFollow = 0xff;
  constexpr int kLineBits = 3;
  constexpr std::int64_t kMostLines = 0xffff;
  const auto begin = reinterpret_cast<VmAddress>(table.data());
  NumberStream stream(begin, begin + table.size(), stream_base);
  std::vector<LineEntry> lines;
  std::int64_t bci = 0, line = 0;
  for (;;) {
    const std::uint8_t head = stream.byte();
    if (!stream.good()) return {};
    if (head == kEnd) return lines;
    if (head == kNumbersFollow) {
      bci += stream.next_signed();
      line += stream.next_signed();
    } else {
      bci += head >> kLineBits;
      line += head & ((1 << kLineBits) - 1);
    }
    const bool fits =
        bci >= 0 && bci < static_cast<std::int64_t>(code_size) && line >= 0 && line <= kMostLines;
    if (!stream.good() || !fits) return {};
    lines.push_back({static_cast<std::uint16_t>(bci), static_cast<std::uint16_t>(line)});
  }
}

}  // namespace ddm
