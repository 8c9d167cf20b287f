#include "perf_data.h"

#include <bit>
#include <cstdint>
#include <cstring>

namespace ddm {
namespace {

constexpr std::size_t kHeader = 32;
constexpr std::size_t kEntry = 20;
constexpr char kByteOrder = std::endian::native == std::endian::little ? 1 : 0;

// Written by a VM of this machine, so in its byte order. `at` is within the bytes.
std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

std::string_view text_at(std::string_view entry, std::size_t at) {
  if (at >= entry.size()) return {};
  const std::string_view rest = entry.substr(at);
  return rest.substr(0, rest.find('\0'));
}

}  // namespace

std::optional<std::string> perf_text(std::string_view file, std::string_view name) {
  if (file.size() < kHeader || !file.starts_with("\xCA\xFE\xC0\xC0") || file[4] != kByteOrder ||
      file[7] != 1) {
    return {};
  }
  std::size_t at = number_at(file, 24);
  for (std::uint32_t left = number_at(file, 28); left > 0; --left) {
    if (at > file.size() || file.size() - at < kEntry) return {};
    const std::size_t length = number_at(file, at);
    if (length < kEntry || length > file.size() - at) return {};
    const std::string_view entry = file.substr(at, length);
    if (entry[12] == 'B' && text_at(entry, number_at(entry, 4)) == name) {
      return std::string(text_at(entry, number_at(entry, 16)));
    }
    at += length;
  }
  return {};
}

}  // namespace ddm
