// Reads and writes big-endian fields.
//
// ByteReader's errors are sticky: after the first read past the end every further read gives 0 or
// nothing, and ok() stays false. A decoder reads all its fields and checks ok() once. Nothing
// beyond the input is read, and no more is allocated than the input holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/page_allocator.h"

namespace ddm {

using Bytes = std::vector<std::uint8_t, PageAllocator<std::uint8_t>>;
using ByteSpan = std::span<const std::uint8_t>;

class ByteReader {
 public:
  explicit ByteReader(ByteSpan data) : data_(data) {}

  bool ok() const { return ok_; }
  std::size_t remaining() const { return data_.size(); }
  bool at_end() const { return data_.empty(); }

  std::uint8_t u1() { return static_cast<std::uint8_t>(number(1)); }
  std::uint16_t u2() { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t u4() { return static_cast<std::uint32_t>(number(4)); }
  std::uint64_t u8() { return number(8); }
  std::int16_t s2() { return static_cast<std::int16_t>(u2()); }
  std::uint64_t number(std::size_t size);

  ByteSpan bytes(std::size_t size);
  ByteSpan rest() { return bytes(remaining()); }

  // Reads `units` UTF-16BE code units; returns UTF-8.
  std::string chars(std::uint32_t units);
  // The protocol's string: u4 units, then the units.
  std::string str() { return chars(u4()); }

  // Marks the input as invalid.
  void fail() { ok_ = false; }

 private:
  ByteSpan data_;  // not read yet
  bool ok_ = true;
};

class ByteWriter {
 public:
  void u1(std::uint8_t value) { number(value, 1); }
  void u2(std::uint16_t value) { number(value, 2); }
  void u4(std::uint32_t value) { number(value, 4); }
  void u8(std::uint64_t value) { number(value, 8); }
  void s2(std::int16_t value) { u2(static_cast<std::uint16_t>(value)); }
  void number(std::uint64_t value, std::size_t size) {
    const std::size_t at = out_.size();
    out_.resize(at + size);
    for (std::size_t i = 0; i < size; ++i) {
      out_[at + i] = static_cast<std::uint8_t>(value >> 8 * (size - 1 - i));
    }
  }

  void bytes(ByteSpan data) { out_.insert(out_.end(), data.begin(), data.end()); }
  void chars(std::u16string_view units);
  void str(std::string_view utf8);

  void reserve(std::size_t size) { out_.reserve(size); }
  std::size_t size() const { return out_.size(); }
  Bytes take() { return std::move(out_); }

 private:
  Bytes out_;
};

}  // namespace ddm
