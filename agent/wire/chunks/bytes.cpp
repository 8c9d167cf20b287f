#include "wire/chunks/bytes.h"

#include "core/utf16.h"

namespace ddm {

std::uint64_t ByteReader::number(std::size_t size) {
  std::uint64_t value = 0;
  for (const std::uint8_t byte : bytes(size)) value = value << 8 | byte;
  return value;
}

ByteSpan ByteReader::bytes(std::size_t size) {
  if (!ok_ || size > data_.size()) {
    ok_ = false;
    data_ = {};
    return {};
  }
  const ByteSpan result = data_.first(size);
  data_ = data_.subspan(size);
  return result;
}

std::string ByteReader::chars(std::uint32_t units) {
  const ByteSpan raw = bytes(std::size_t{units} * 2);
  std::u16string text(raw.size() / 2, u'\0');
  for (std::size_t i = 0; i < text.size(); ++i) {
    text[i] = static_cast<char16_t>(raw[2 * i] << 8 | raw[2 * i + 1]);
  }
  return to_utf8(text);
}

void ByteWriter::chars(std::u16string_view units) {
  for (const char16_t unit : units) u2(unit);
}

void ByteWriter::str(std::string_view utf8) {
  const std::u16string units = to_utf16(utf8);
  u4(static_cast<std::uint32_t>(units.size()));
  chars(units);
}

}  // namespace ddm
