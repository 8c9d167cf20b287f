#include "wire/chunks/event_bundle.h"

#include "wire/chunks/packet.h"
#include "wire/chunks/zlib_chunk.h"

namespace ddm {

void EventBundle::add(Chunk chunk) {
  if (!failed_.empty()) return;
  if (zlib_) chunk = smallest_chunk(std::move(chunk));
  const OutgoingPacket packet = event_packet(std::move(chunk));
  for (const OutgoingPacket::Piece& piece : packet.pieces) {
    packets_.insert(packets_.end(), piece.bytes.begin(), piece.bytes.end());
  }
  if (packets_.size() >= StoredData::kFrom) store();
}

void EventBundle::store() {
  if (!stored_) {
    auto created = StoredData::create();
    if (!created) {
      failed_ = created.message();
      return;
    }
    stored_ = std::move(*created);
  }
  if (const auto failed = stored_->append(packets_)) failed_ = failed->message;
  packets_.clear();
}

std::string EventBundle::finish() {
  if (stored_ && failed_.empty()) store();
  return failed_;
}

void EventBundle::send_to(Session& session) const {
  if (stored_) {
    session.send_stored(stored_);
  } else {
    session.send_packets(packets_);
  }
}

}  // namespace ddm
