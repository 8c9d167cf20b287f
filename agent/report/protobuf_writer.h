// Encodes protocol buffer messages: each field is a tag (number and wire type) and a value,
// integers in groups of seven bits, lowest first.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ddm {

class ProtobufWriter {
 public:
  // proto3 omits zero values.
  void add_integer(std::uint32_t field, std::uint64_t value) {
    if (value == 0) return;
    add_tag(field, kVarint);
    add_varint(value);
  }
  void add_bytes(std::uint32_t field, std::string_view bytes) {
    add_tag(field, kLengthDelimited);
    add_varint(bytes.size());
    bytes_ += bytes;
  }
  void add_message(std::uint32_t field, const ProtobufWriter& message) {
    add_bytes(field, message.bytes_);
  }
  void add_packed(std::uint32_t field, std::span<const std::uint64_t> values) {
    ProtobufWriter packed;
    for (const std::uint64_t value : values) packed.add_varint(value);
    add_message(field, packed);
  }

  const std::string& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  static constexpr std::uint32_t kVarint = 0, kLengthDelimited = 2;

  void add_tag(std::uint32_t field, std::uint32_t wire_type) {
    add_varint(std::uint64_t{field} << 3 | wire_type);
  }
  void add_varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace ddm
