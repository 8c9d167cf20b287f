#include "wire/chunks/packet.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace ddm {
namespace {

OutgoingPacket packet(const PacketHeader& header, std::vector<Chunk> chunks) {
  std::size_t size = kPacketHeaderSize;
  for (const Chunk& chunk : chunks) size += kChunkHeaderSize + chunk.size();
  ByteWriter head;
  head.u4(static_cast<std::uint32_t>(size));
  head.u4(header.id);
  head.u1(header.flags);
  head.u1(header.command_set);
  head.u1(header.command);
  OutgoingPacket result;
  for (Chunk& chunk : chunks) {
    head.u4(chunk.type);
    head.u4(static_cast<std::uint32_t>(chunk.size()));
    // Copying small data is cheaper than a separate piece.
    constexpr std::size_t kSmall = 4096;
    if (chunk.data.size() <= kSmall) {
      head.bytes(chunk.data);
    } else {
      result.pieces.emplace_back(head.take());
      result.pieces.emplace_back(std::move(chunk.data));
      head = {};
    }
    if (chunk.stored) {
      result.pieces.emplace_back(head.take());
      result.pieces.emplace_back(std::move(chunk.stored));
      head = {};
    }
  }
  if (head.size() != 0) result.pieces.emplace_back(head.take());
  return result;
}

}  // namespace

void PacketReader::append(ByteSpan data) {
  if (error_) return;
  if (begin_ == buffer_.size()) {
    buffer_ = {};  // idle peers keep no buffer
    begin_ = 0;
  } else if (begin_ > buffer_.size() / 2) {
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(begin_));
    begin_ = 0;
  }
  make_room_for(data.size());
  buffer_.insert(buffer_.end(), data.begin(), data.end());
}

// Doubles the buffer, up to the size of the packet that is being received.
void PacketReader::make_room_for(std::size_t more) {
  const std::size_t needed = buffer_.size() + more;
  if (needed <= buffer_.capacity()) return;
  ByteReader in(ByteSpan(buffer_).subspan(begin_));
  const std::uint32_t length = in.u4();
  const std::size_t promised = in.ok() ? begin_ + length : 0;
  buffer_.reserve(std::max(needed, std::min(2 * buffer_.capacity(), promised)));
}

std::optional<Packet> PacketReader::next() {
  const ByteSpan waiting = ByteSpan(buffer_).subspan(begin_);
  if (error_ || waiting.size() < kPacketHeaderSize) return {};
  ByteReader in(waiting);
  Packet result;
  PacketHeader& header = result.header;
  header.length = in.u4();
  header.id = in.u4();
  header.flags = in.u1();
  header.command_set = in.u1();
  header.command = in.u1();
  if (header.length < kPacketHeaderSize || header.length > max_packet_) {
    error_ = Error{"packet length " + std::to_string(header.length) + " is not within " +
                   std::to_string(kPacketHeaderSize) + " and " + std::to_string(max_packet_)};
    return {};
  }
  if (header.flags != 0 && header.flags != kFlagReply) {
    error_ = Error{"packet flags " + std::to_string(header.flags) + " are neither 0 nor 128"};
    return {};
  }
  if (waiting.size() < header.length) return {};
  if (begin_ == 0 && waiting.size() == header.length) {
    result.bytes = std::exchange(buffer_, {});
  } else {
    result.bytes.assign(waiting.begin(), waiting.begin() + header.length);
    begin_ += header.length;
  }
  return result;
}

std::size_t OutgoingPacket::size() const {
  std::size_t total = 0;
  for (const Piece& piece : pieces) total += piece.size();
  return total;
}

Bytes OutgoingPacket::flatten() const {
  Bytes all;
  all.reserve(size());
  for (const Piece& piece : pieces) all.insert(all.end(), piece.bytes.begin(), piece.bytes.end());
  return all;
}

OutgoingPacket command_packet(std::uint32_t id, Chunk chunk) {
  std::vector<Chunk> chunks;
  chunks.push_back(std::move(chunk));
  return packet({.id = id, .command_set = kDdmCommandSet, .command = kDdmCommand},
                std::move(chunks));
}

OutgoingPacket event_packet(Chunk chunk) {
  static std::atomic<std::uint32_t> last_id{0};  // ids need not be unique across connections
  return command_packet(kVmIdBit | ++last_id, std::move(chunk));
}

OutgoingPacket reply_packet(std::uint32_t id, std::vector<Chunk> chunks) {
  return packet({.id = id, .flags = kFlagReply}, std::move(chunks));
}

OutgoingPacket error_packet(std::uint32_t id, std::uint16_t error) {
  return packet({.id = id,
                 .flags = kFlagReply,
                 .command_set = static_cast<std::uint8_t>(error >> 8),
                 .command = static_cast<std::uint8_t>(error)},
                {});
}

OutgoingPacket stored_if_large(OutgoingPacket packet) {
  std::size_t memory = 0;
  for (const OutgoingPacket::Piece& piece : packet.pieces) memory += piece.bytes.size();
  if (memory < StoredData::kFrom || memory != packet.size()) return packet;
  auto data = StoredData::of(packet.flatten());
  if (!data) return packet;
  return {{std::move(*data)}};
}

}  // namespace ddm
