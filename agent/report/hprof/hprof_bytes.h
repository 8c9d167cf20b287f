// Sequential reader of a heap dump, and the sizes of its values.
//
// One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ddm {

// Type codes of values and elements in a dump.
inline constexpr std::uint8_t kHprofReference = 2, kHprofFirstPrimitive = 4;
inline constexpr std::array<std::string_view, 8> kHprofPrimitives = {
    "boolean", "char", "float", "double", "byte", "short", "int", "long"};

// Bytes of a value of the type; 0: invalid type.
std::uint32_t hprof_value_bytes(std::uint8_t type, std::uint32_t id_bytes);

// Reads a file sequentially. Past the end, or after an error, values are 0 and good() is false.
class HprofBytes {
 public:
  // `fd`: read with explicit offsets, `piece` bytes at once.
  explicit HprofBytes(int fd, std::size_t piece = std::size_t{1} << 20) : fd_(fd), piece_(piece) {}

  std::uint64_t integer(std::uint32_t size) {
    std::uint64_t value = 0;
    for (; size > 0; --size) value = value << 8 | byte();
    return value;
  }
  std::uint8_t byte() {
    if (at_ == filled_ && !fill()) return 0;
    const std::uint8_t next = piece_[at_++];
    if (kept_ != nullptr) *kept_ += static_cast<char>(next);
    return next;
  }
  std::string text(std::uint64_t size);
  // Does not read the skipped bytes unless keep_in() is active.
  void skip(std::uint64_t size);
  // Appends the next `size` bytes.
  void copy(std::uint64_t size, std::string& to) {
    keep_in(&to);
    skip(size);
    keep_in(nullptr);
  }
  std::uint64_t position() const { return begin_ - (filled_ - at_); }
  bool good() const { return good_; }
  bool at_end() { return at_ == filled_ && !fill(); }
  bool holds(std::uint64_t bytes) const;  // that many bytes remain in the file

  // Appends everything read or skipped from now on; null: stops.
  void keep_in(std::string* text) { kept_ = text; }

 private:
  bool fill();

  const int fd_;
  std::vector<std::uint8_t> piece_;
  std::size_t at_ = 0, filled_ = 0;
  std::uint64_t begin_ = 0;  // file offset after the piece
  bool good_ = true;
  std::string* kept_ = nullptr;
};

}  // namespace ddm
