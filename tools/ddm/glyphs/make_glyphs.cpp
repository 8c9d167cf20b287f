// Draws the glyphs of a font with FreeType, while the command is built, for what the command writes
// into pictures: it then needs neither FreeType nor a font where it runs.
//
//   make_glyphs FONT PIXELS OUT.cpp
//
// Writes glyphs.h's tables: for each character from U+0020 to U+017F its advance, the offset of its
// bitmap, and the coverage of each pixel.
#include <ft2build.h>
#include FT_FREETYPE_H

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

constexpr unsigned kFirst = 0x20, kLast = 0x17f;

[[noreturn]] void fail(const char* what, const char* name) {
  std::fprintf(stderr, "make_glyphs: %s: %s\n", name, what);
  std::exit(1);
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) fail("FONT PIXELS OUT.cpp", words[0]);
  FT_Library library = nullptr;
  FT_Face face = nullptr;
  if (FT_Init_FreeType(&library) != 0) fail("FreeType does not start", words[0]);
  if (FT_New_Face(library, words[1], 0, &face) != 0) fail("is no font", words[1]);
  const int pixels = std::atoi(words[2]);
  if (pixels <= 0 || FT_Set_Pixel_Sizes(face, 0, static_cast<FT_UInt>(pixels)) != 0) {
    fail("a size that the font does not have", words[2]);
  }
  std::string table, ink;
  std::size_t at = 0;
  for (unsigned letter = kFirst; letter <= kLast; ++letter) {
    if (FT_Load_Char(face, letter, FT_LOAD_RENDER) != 0)
      fail("a letter that cannot be drawn", words[1]);
    const FT_GlyphSlot slot = face->glyph;
    const FT_Bitmap& bitmap = slot->bitmap;
    table += "{" + std::to_string(at) + "," + std::to_string(slot->advance.x >> 6) + "," +
             std::to_string(slot->bitmap_left) + "," + std::to_string(slot->bitmap_top) + "," +
             std::to_string(bitmap.width) + "," + std::to_string(bitmap.rows) + "},\n";
    for (unsigned row = 0; row < bitmap.rows; ++row) {
      for (unsigned column = 0; column < bitmap.width; ++column, ++at) {
        ink += std::to_string(bitmap.buffer[row * static_cast<unsigned>(bitmap.pitch) + column]);
        ink += ',';
      }
      ink += '\n';
    }
  }
  std::FILE* const out = std::fopen(words[3], "w");
  if (out == nullptr) fail("cannot be written", words[3]);
  std::fprintf(out,
               "#include \"glyphs/glyphs.h\"\n\nnamespace ddm {\n"
               "const int kGlyphAscent = %d;\n"
               "const unsigned kFirstGlyph = %u, kLastGlyph = %u;\n"
               "const Glyph kGlyphs[] = {\n%s};\nconst unsigned char kGlyphInk[] = {\n%s};\n"
               "}  // namespace ddm\n",
               static_cast<int>(face->size->metrics.ascender >> 6), kFirst, kLast, table.c_str(),
               ink.c_str());
  if (std::fclose(out) != 0) fail("cannot be written", words[3]);
}
