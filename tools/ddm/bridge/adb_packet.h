// The adb transport's packets, as adb and adbd send them. Pure functions, no I/O.
//
//   off size, little-endian
//    0   u4  command, four letters: CNXN OPEN OKAY WRTE CLSE
//    4   u4  arg0          8  u4  arg1
//   12   u4  length of the payload
//   16   u4  sum of the payload's bytes; 0 from version 0x01000001 on
//   20   u4  command ^ ffffffff
//   24   ..  payload
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace ddm {

constexpr std::uint32_t adb_command(const char (&name)[5]) {
  std::uint32_t command = 0;
  for (int i = 3; i >= 0; --i) command = command << 8 | static_cast<std::uint8_t>(name[i]);
  return command;
}

// arg0, arg1:
inline constexpr std::uint32_t kAdbConnect = adb_command("CNXN");  // version, largest payload
inline constexpr std::uint32_t kAdbOpen = adb_command("OPEN");     // sender's stream, 0
inline constexpr std::uint32_t kAdbOkay = adb_command("OKAY");     // sender's, receiver's stream
inline constexpr std::uint32_t kAdbWrite = adb_command("WRTE");    // sender's, receiver's stream
inline constexpr std::uint32_t kAdbClose = adb_command("CLSE");    // sender's or 0, receiver's

inline constexpr std::uint32_t kAdbVersionChecksums = 0x01000000;
inline constexpr std::uint32_t kAdbVersionNoChecksums = 0x01000001;
inline constexpr std::uint32_t kAdbMaxPayload = 256 << 10;
inline constexpr std::size_t kAdbHeaderSize = 24;

struct AdbPacket {
  std::uint32_t command = 0;
  std::uint32_t arg0 = 0;
  std::uint32_t arg1 = 0;
  std::string payload;
};

std::string encode(const AdbPacket& packet, bool with_checksum);

// Bytes in, packets out. Memory grows with the bytes received, not with the length in a header.
class AdbReader {
 public:
  void append(std::string_view data) { buffer_ += data; }

  // Before the versions are exchanged it is unknown whether sums are sent: 0 may mean none.
  enum class Checksums { kZeroOrRight, kRight, kIgnored };
  void expect(Checksums checksums) { checksums_ = checksums; }

  // The next complete packet. None: more bytes are needed, or error().
  std::optional<AdbPacket> next();

  // The data is not the adb protocol; parsing cannot continue.
  const std::optional<Error>& error() const { return error_; }

 private:
  std::string buffer_;
  Checksums checksums_ = Checksums::kZeroOrRight;
  std::optional<Error> error_;
};

}  // namespace ddm
