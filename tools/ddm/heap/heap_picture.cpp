#include "heap/heap_picture.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cstring>

#include "glyphs/glyphs.h"
#include "report/report_words.h"

namespace ddm {
namespace {

struct Colour {
  std::uint8_t red, green, blue;
};

constexpr Colour kInk{40, 44, 52};
constexpr Colour kNotCommitted{208, 211, 216};
// In the order of the columns; distinct with red-green colour blindness, too.
constexpr Colour kColours[kHeapColumns] = {{0, 114, 178},  {204, 121, 167}, {230, 159, 0},
                                           {240, 228, 66}, {0, 158, 115},   {213, 94, 0},
                                           {90, 90, 90},   {86, 180, 233},  {240, 242, 245}};

constexpr int kSquaresARow = 160;
constexpr int kMaxSquareRows = 100;
constexpr int kSquare = 6;
constexpr int kMargin = 24;
constexpr int kLine = 22;
constexpr int kBox = 14;  // of the legend
constexpr int kWidth = 2 * kMargin + kSquaresARow * kSquare;

class Canvas {
 public:
  explicit Canvas(int height)
      : height_(height), pixels_(static_cast<std::size_t>(kWidth * height) * 3, 255) {}

  void fill(int x, int y, int width, int height, Colour colour) {
    for (int row = std::max(y, 0); row < std::min(y + height, height_); ++row) {
      for (int column = std::max(x, 0); column < std::min(x + width, kWidth); ++column) {
        std::memcpy(&pixels_[static_cast<std::size_t>(row * kWidth + column) * 3], &colour, 3);
      }
    }
  }

  void write(int x, int y, std::string_view text) {
    draw_text(text, [&](int column, int row, unsigned char ink) {
      const int at_x = x + column, at_y = y + row;
      if (at_x < 0 || at_x >= kWidth || at_y < 0 || at_y >= height_) return;
      std::uint8_t* const pixel = &pixels_[static_cast<std::size_t>(at_y * kWidth + at_x) * 3];
      const std::uint8_t colour[] = {kInk.red, kInk.green, kInk.blue};
      for (int i = 0; i < 3; ++i) {
        pixel[i] = static_cast<std::uint8_t>((pixel[i] * (255 - ink) + colour[i] * ink) / 255);
      }
    });
  }

  // "": libpng has no memory.
  std::string png() const {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = kWidth;
    image.height = static_cast<png_uint_32>(height_);
    image.format = PNG_FORMAT_RGB;
    png_alloc_size_t size = 0;
    std::string bytes;
    if (png_image_write_to_memory(&image, nullptr, &size, 0, pixels_.data(), 0, nullptr) == 0) {
      return "";
    }
    bytes.resize(size);
    if (png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels_.data(), 0, nullptr) ==
        0) {
      return "";
    }
    bytes.resize(size);
    return bytes;
  }

 private:
  const int height_;
  std::vector<std::uint8_t> pixels_;
};

// The colour of the kind that has most of the cell, paler the more of it is free. Something in an
// otherwise free cell can still be seen.
Colour colour_of(const HeapCell& cell) {
  if (cell.committed() == 0) return kNotCommitted;
  const Colour full = kColours[cell.main_column()];
  if (cell.used() == 0) return full;
  const Colour& empty = kColours[kFreeColumn];
  const double share =
      0.3 + 0.7 * static_cast<double>(cell.used()) / static_cast<double>(cell.committed());
  const auto mix = [share](std::uint8_t from, std::uint8_t to) {
    return static_cast<std::uint8_t>(from + share * (to - from));
  };
  return {mix(empty.red, full.red), mix(empty.green, full.green), mix(empty.blue, full.blue)};
}

void draw_legend(Canvas& canvas, int y, const HeapCells& cells) {
  HeapCell total;
  for (const HeapCell& cell : cells.cells()) total += cell;
  constexpr int kEntryWidth = kSquaresARow * kSquare / 3;
  int place = 0;
  const auto entry = [&](Colour colour, const std::string& text) {
    const int x = kMargin + place % 3 * kEntryWidth;
    const int top = y + place / 3 * (kLine + 4);
    canvas.fill(x, top + 2, kBox, kBox, kInk);
    canvas.fill(x + 1, top + 3, kBox - 2, kBox - 2, colour);
    canvas.write(x + kBox + 8, top, text);
    ++place;
  };
  for (std::size_t column = 0; column < kHeapColumns; ++column) {
    if (total.bytes[column] == 0 && column != kFreeColumn) continue;
    entry(kColours[column],
          fmt::format("{} {}", heap_column_name(column), human_bytes(total.bytes[column])));
  }
  entry(kNotCommitted, "not committed");
}

}  // namespace

std::string heap_picture(const std::string& title, const std::vector<HeapSegment>& segments) {
  const HeapCells cells(segments, static_cast<std::size_t>(kSquaresARow * kMaxSquareRows));
  const int rows =
      std::max<int>(1, static_cast<int>((cells.cells().size() + kSquaresARow - 1) / kSquaresARow));
  const int map_top = kMargin + 2 * kLine + 8;
  const int legend_top = map_top + rows * kSquare + 16;
  Canvas canvas(legend_top + 4 * (kLine + 4) + kMargin - 6);
  canvas.write(kMargin, kMargin, title);
  canvas.write(kMargin, kMargin + kLine,
               fmt::format("one square = {}, a row = {}", human_bytes(cells.cell_bytes()),
                           human_bytes(cells.cell_bytes() * kSquaresARow)));
  for (std::size_t i = 0; i < cells.cells().size(); ++i) {
    const int x = static_cast<int>(i % kSquaresARow) * kSquare;
    const int y = static_cast<int>(i / kSquaresARow) * kSquare;
    canvas.fill(kMargin + x, map_top + y, kSquare - 1, kSquare - 1, colour_of(cells.cells()[i]));
  }
  draw_legend(canvas, legend_top, cells);
  return canvas.png();
}

}  // namespace ddm
