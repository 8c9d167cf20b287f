#include "wire/chunks/event_bundle.h"

#include "wire/chunks/zlib_chunk.h"

namespace ddm {

void EventBundle::add(Chunk chunk) {
  if (!failed_.empty()) return;
  if (zlib_) chunk = smallest_chunk(std::move(chunk));
  const OutgoingPacket packet = event_packet(std::move(chunk));
  for (const OutgoingPacket::Piece& piece : packet.pieces) {
    data_.bytes.insert(data_.bytes.end(), piece.bytes.begin(), piece.bytes.end());
  }
  if (data_.bytes.size() >= StoredData::kFrom) store();
}

std::string EventBundle::finish() {
  if (data_.stored) store();
  return failed_;
}

void EventBundle::store() {
  if (!failed_.empty()) return;
  if (const auto failed = data_.store()) failed_ = failed->message;
}

void EventBundle::send_to(Session& session) const {
  using Piece = OutgoingPacket::Piece;
  session.send({{data_.stored ? Piece(data_.stored) : Piece(data_.bytes)}});
}

}  // namespace ddm
