#include "bridge/adb_packet.h"

#include <numeric>

namespace ddm {
namespace {

void put_u4(std::string& out, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) out += static_cast<char>(value >> 8 * i);
}

std::uint32_t u4_at(std::string_view text, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<std::uint8_t>(text[at + i]);
  return value;
}

std::uint32_t checksum(std::string_view payload) {
  return std::accumulate(
      payload.begin(), payload.end(), std::uint32_t{0},
      [](std::uint32_t sum, char c) { return sum + static_cast<std::uint8_t>(c); });
}

}  // namespace

std::string encode(const AdbPacket& packet, bool with_checksum) {
  std::string out;
  out.reserve(kAdbHeaderSize + packet.payload.size());
  put_u4(out, packet.command);
  put_u4(out, packet.arg0);
  put_u4(out, packet.arg1);
  put_u4(out, static_cast<std::uint32_t>(packet.payload.size()));
  put_u4(out, with_checksum ? checksum(packet.payload) : 0);
  put_u4(out, ~packet.command);
  return out += packet.payload;
}

std::optional<AdbPacket> AdbReader::next() {
  if (error_ || buffer_.size() < kAdbHeaderSize) return {};
  AdbPacket packet{u4_at(buffer_, 0), u4_at(buffer_, 4), u4_at(buffer_, 8), {}};
  const std::uint32_t length = u4_at(buffer_, 12);
  if (u4_at(buffer_, 20) != ~packet.command) {
    error_ = Error{"this is no adb packet"};
    return {};
  }
  if (length > kAdbMaxPayload) {
    error_ = Error{"a packet of " + std::to_string(length) + " bytes, more than the " +
                   std::to_string(kAdbMaxPayload) + " that were offered"};
    return {};
  }
  if (buffer_.size() < kAdbHeaderSize + length) return {};
  packet.payload = buffer_.substr(kAdbHeaderSize, length);
  const std::uint32_t sum = u4_at(buffer_, 16);
  const bool checked =
      checksums_ == Checksums::kRight || (checksums_ == Checksums::kZeroOrRight && sum != 0);
  if (checked && sum != checksum(packet.payload)) {
    error_ = Error{"a packet with a wrong checksum"};
    return {};
  }
  buffer_.erase(0, kAdbHeaderSize + length);
  return packet;
}

}  // namespace ddm
