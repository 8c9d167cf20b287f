// The glyphs of a font as bitmaps, drawn while the command is built (make_glyphs.cpp).
#pragma once

#include <cstdint>
#include <string_view>

namespace ddm {

struct Glyph {
  std::uint32_t at;  // offset of its bitmap in kGlyphInk, row by row
  std::int8_t advance, left, top;
  std::uint8_t width, height;
};

extern const int kGlyphAscent;  // in pixels
extern const unsigned kFirstGlyph, kLastGlyph;
extern const Glyph kGlyphs[];
extern const unsigned char kGlyphInk[];  // 0 paper, 255 ink

// Calls put(x, y, ink) for each pixel of UTF-8 text that has ink; (0, 0) is the upper left corner.
// Characters without a glyph are drawn as '?'. Returns the width.
template <typename Put>
int draw_text(std::string_view text, Put put) {
  int x = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto first = static_cast<unsigned char>(text[i]);
    unsigned letter = first;
    if (first >= 0xc0) {
      letter = first < 0xe0 && i + 1 < text.size()
                   ? (first & 0x1fu) << 6 | (static_cast<unsigned char>(text[i + 1]) & 0x3fu)
                   : '?';
      while (i + 1 < text.size() && (static_cast<unsigned char>(text[i + 1]) & 0xc0) == 0x80) ++i;
    }
    if (letter < kFirstGlyph || letter > kLastGlyph) letter = '?';
    const Glyph& glyph = kGlyphs[letter - kFirstGlyph];
    for (int row = 0; row < glyph.height; ++row) {
      for (int column = 0; column < glyph.width; ++column) {
        const unsigned char ink =
            kGlyphInk[glyph.at + static_cast<unsigned>(row * glyph.width + column)];
        if (ink != 0) put(x + glyph.left + column, kGlyphAscent - glyph.top + row, ink);
      }
    }
    x += glyph.advance;
  }
  return x;
}

}  // namespace ddm
