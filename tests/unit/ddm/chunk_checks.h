// What every chunk has to stand: exact bytes, the way back, and being cut off anywhere.
#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "wire/chunks/fields.h"

namespace ddm {

// "00 0a 'HELO" -> bytes; an apostrophe begins text up to the next space, each character one
// byte; a double quote the same as UTF-16 units.
inline Bytes bytes_of(const std::string& text) {
  Bytes bytes;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == ' ') {
      ++i;
    } else if (text[i] == '\'' || text[i] == '"') {
      const bool wide = text[i] == '"';
      for (++i; i < text.size() && text[i] != ' '; ++i) {
        if (wide) bytes.push_back(0);
        bytes.push_back(static_cast<std::uint8_t>(text[i]));
      }
    } else {
      bytes.push_back(static_cast<std::uint8_t>(std::stoi(text.substr(i, 2), nullptr, 16)));
      i += 2;
    }
  }
  return bytes;
}

// Decodes a copy on the heap of exactly that size, so that a sanitizer sees a read behind its end.
template <typename Message>
auto decode_exactly(ByteSpan data) {
  const std::unique_ptr<std::uint8_t[]> copy(new std::uint8_t[data.size()]);
  std::copy(data.begin(), data.end(), copy.get());
  return decode<Message>(ByteSpan(copy.get(), data.size()));
}

// `complete`: how many bytes have to be there for the chunk to be understood at all.
template <typename Message>
void check_chunk(const Message& message, const std::string& expected, std::size_t complete) {
  const Bytes bytes = encode(message);
  CHECK(bytes == bytes_of(expected));
  const auto back = decode_exactly<Message>(bytes);
  REQUIRE(back);
  CHECK(*back == message);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CHECK(decode_exactly<Message>(ByteSpan(bytes).first(size)).has_value() == (size >= complete));
  }
  Bytes longer = bytes;
  longer.push_back(0);
  decode_exactly<Message>(longer);  // whatever it says, it stays within its bytes
}

template <typename Message>
void check_chunk(const Message& message, const std::string& expected) {
  check_chunk(message, expected, encode(message).size());
}

}  // namespace ddm
