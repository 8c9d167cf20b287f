// A heap dump's bytes in their order, and how many of them a value takes.
//
// One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ddm {

// What stands in a dump for the types of values and of elements.
inline constexpr std::uint8_t kHprofReference = 2;

// Bytes of a value of a type; 0: no type.
std::uint32_t hprof_value_bytes(std::uint8_t type, std::uint32_t id_bytes);

// The file's bytes in their order. Past the end, or after an error, all are 0 and good() is false.
class HprofBytes {
 public:
  // `fd`: read with offsets, so many bytes at once.
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
  // What is kept is read; else nothing is.
  void skip(std::uint64_t size);
  std::uint64_t position() const { return begin_ - (filled_ - at_); }
  bool good() const { return good_; }
  bool at_end() { return at_ == filled_ && !fill(); }
  bool holds(std::uint64_t bytes) const;  // the file has so many

  // Appends all that is read or skipped from now on; null: no more.
  void keep_in(std::string* text) { kept_ = text; }

 private:
  bool fill();

  const int fd_;
  std::vector<std::uint8_t> piece_;
  std::size_t at_ = 0, filled_ = 0;
  std::uint64_t begin_ = 0;  // of what is behind the piece
  bool good_ = true;
  std::string* kept_ = nullptr;
};

}  // namespace ddm
