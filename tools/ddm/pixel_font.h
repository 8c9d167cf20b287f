// Letters of 5 x 7 pixels, for the few words in a picture.
#pragma once

#include <array>
#include <cstdint>

namespace ddm {

inline constexpr int kGlyphWidth = 5;
inline constexpr int kGlyphHeight = 7;

// Rows from the top, the leftmost pixel in bit 4. Letters come as capitals; what the font does not
// have is an empty box.
std::array<std::uint8_t, kGlyphHeight> glyph_of(char letter);

}  // namespace ddm
