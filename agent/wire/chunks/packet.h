// JDWP framing, the carrier of the chunks.
//
//   off size
//    0   u4  length, these 11 bytes included
//    4   u4  id, repeated by the reply
//    8   u1  flags: 00 command, 80 reply
//    9   u1  command set   | reply: error code, u2
//   10   u1  command       |
//   11   ..  payload: chunks
//
// Both sides begin with the 14 bytes of kHandshake, the server first. Nothing here does I/O.
#pragma once

#include <string_view>

#include "core/result.h"
#include "wire/chunks/chunk.h"

namespace ddm {

inline constexpr std::string_view kHandshake = "JDWP-Handshake";

inline constexpr std::size_t kPacketHeaderSize = 11;
inline constexpr std::uint8_t kFlagReply = 0x80;
inline constexpr std::uint8_t kDdmCommandSet = 0xc7;  // 199 = 'G' + 128
inline constexpr std::uint8_t kDdmCommand = 1;
inline constexpr std::uint16_t kErrorNone = 0;
inline constexpr std::uint16_t kErrorNotImplemented = 99;

// Ids of commands from the VM have the top bit set: JDWP servers count from 1, ddmlib from 2^30.
inline constexpr std::uint32_t kVmIdBit = 0x80000000;

// The largest packet that a real server accepts: ddmlib's buffer ends at 512 MiB.
inline constexpr std::size_t kMaxOutgoingPacket = std::size_t{512} << 20;

struct PacketHeader {
  std::uint32_t length = kPacketHeaderSize;
  std::uint32_t id = 0;
  std::uint8_t flags = 0;
  std::uint8_t command_set = 0;
  std::uint8_t command = 0;

  bool is_reply() const { return (flags & kFlagReply) != 0; }
  bool is_ddm_command() const {
    return !is_reply() && command_set == kDdmCommandSet && command == kDdmCommand;
  }
  std::uint16_t error() const { return static_cast<std::uint16_t>(command_set << 8 | command); }
};

struct Packet {
  PacketHeader header;
  Bytes bytes;  // the whole packet, header included
  ByteSpan payload() const { return ByteSpan(bytes).subspan(kPacketHeaderSize); }
};

// Splits a byte stream into packets. Memory grows with the bytes received, never by a declared
// length.
class PacketReader {
 public:
  explicit PacketReader(std::size_t max_packet) : max_packet_(max_packet) {}

  void append(ByteSpan data);

  // The next complete packet. nullopt: more bytes are needed, or error().
  std::optional<Packet> next();

  // The length or flags are invalid JDWP; the stream cannot be parsed any further.
  const std::optional<Error>& error() const { return error_; }

  // A packet is incomplete.
  bool in_packet() const { return begin_ != buffer_.size(); }

  // Bytes of its buffer.
  std::size_t held() const { return buffer_.capacity(); }

 private:
  void make_room_for(std::size_t more);

  std::size_t max_packet_;
  Bytes buffer_;
  std::size_t begin_ = 0;  // of the first byte not consumed
  std::optional<Error> error_;
};

// A packet to be written, as a list of pieces, so that large data is moved instead of copied.
struct OutgoingPacket {
  struct Piece {
    Piece(Bytes in_memory) : bytes(std::move(in_memory)) {}  // NOLINT: implicit
    Piece(std::shared_ptr<const StoredData> elsewhere)       // NOLINT: implicit
        : stored(std::move(elsewhere)) {}
    std::size_t size() const { return stored ? stored->size() : bytes.size(); }

    Bytes bytes;
    std::shared_ptr<const StoredData> stored;  // if not null, used instead of bytes
  };
  std::vector<Piece> pieces;
  std::size_t size() const;
  Bytes flatten() const;  // for packets entirely in memory
};

// The caller keeps the chunks within kMaxOutgoingPacket.
OutgoingPacket command_packet(std::uint32_t id, Chunk chunk);
OutgoingPacket reply_packet(std::uint32_t id, std::vector<Chunk> chunks);
OutgoingPacket event_packet(Chunk chunk);  // with a new id
OutgoingPacket error_packet(std::uint32_t id, std::uint16_t error);

// As one file from StoredData::kFrom on; if it cannot be stored, the packet stays in memory.
OutgoingPacket stored_if_large(OutgoingPacket packet);

}  // namespace ddm
