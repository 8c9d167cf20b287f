// Big-endian reading and writing of class files (JVMS 4.1).
//
// The reader is bounds-checked with a sticky error: a read past the end and every later read give
// 0, so a parser checks ok() once, after the last read. Any thread; no shared state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace bci {

using ByteSpan = std::span<const std::uint8_t>;
using Bytes = std::vector<std::uint8_t>;

class ByteReader {
 public:
  explicit ByteReader(ByteSpan bytes) : bytes_(bytes) {}

  std::uint8_t u1() {
    if (!has(1)) return 0;
    return bytes_[at_++];
  }
  std::uint16_t u2() {
    if (!has(2)) return 0;
    auto value = static_cast<std::uint16_t>(bytes_[at_] << 8 | bytes_[at_ + 1]);
    at_ += 2;
    return value;
  }
  std::uint32_t u4() {
    std::uint32_t high = u2();
    return high << 16 | u2();
  }
  // The next `length` bytes, or an empty span and an error.
  ByteSpan take(std::size_t length) {
    if (!has(length)) return {};
    ByteSpan taken = bytes_.subspan(at_, length);
    at_ += length;
    return taken;
  }
  void skip(std::size_t length) { take(length); }

  bool ok() const { return ok_; }
  bool at_end() const { return at_ == bytes_.size(); }
  std::size_t position() const { return at_; }

 private:
  bool has(std::size_t length) {
    if (ok_ && length <= bytes_.size() - at_) return true;
    ok_ = false;
    return false;
  }

  ByteSpan bytes_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

// Its calls can be chained: out.u1(tag).u2(index).
class ByteWriter {
 public:
  ByteWriter& u1(std::uint32_t value) {
    bytes_.push_back(static_cast<std::uint8_t>(value));
    return *this;
  }
  ByteWriter& u2(std::uint32_t value) { return u1(value >> 8).u1(value); }
  ByteWriter& u4(std::uint32_t value) { return u2(value >> 16).u2(value); }
  ByteWriter& append(ByteSpan bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  // Overwrites 1, 2 or 4 bytes written before, such as a length that is known only afterwards.
  void patch_u1(std::size_t at, std::uint32_t value) {
    bytes_[at] = static_cast<std::uint8_t>(value);
  }
  void patch_u2(std::size_t at, std::uint32_t value) {
    patch_u1(at, value >> 8);
    patch_u1(at + 1, value);
  }
  void patch_u4(std::size_t at, std::uint32_t value) {
    patch_u2(at, value >> 16);
    patch_u2(at + 2, value);
  }

  void reserve(std::size_t size) { bytes_.reserve(size); }
  std::size_t size() const { return bytes_.size(); }
  const Bytes& bytes() const { return bytes_; }
  Bytes take() { return std::move(bytes_); }

 private:
  Bytes bytes_;
};

inline std::int16_t read_s2(const std::uint8_t* at) {
  return static_cast<std::int16_t>(at[0] << 8 | at[1]);
}
inline std::uint16_t read_u2(const std::uint8_t* at) {
  return static_cast<std::uint16_t>(at[0] << 8 | at[1]);
}
inline std::int32_t read_s4(const std::uint8_t* at) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(at[0]) << 24 | at[1] << 16 |
                                   at[2] << 8 | at[3]);
}

}  // namespace bci
