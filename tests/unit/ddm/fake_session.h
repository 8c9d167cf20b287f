// A session that is no connection.
#pragma once

#include "wire/chunks/session.h"

namespace ddm {

class FakeSession : public Session {
 public:
  explicit FakeSession(std::uint64_t id = 1) : id_(id) {}
  std::uint64_t id() const override { return id_; }
  bool is_open() const override { return open; }
  void send_event(Chunk) override {}
  void send(OutgoingPacket packets) override {
    for (OutgoingPacket::Piece& piece : packets.pieces) {
      if (piece.stored) {
        stored.push_back(std::move(piece.stored));
      } else {
        sent.push_back(std::move(piece.bytes));
      }
    }
  }
  bool takes_zlib() const override { return understands_zlib; }
  bool wait_for_room(std::chrono::milliseconds) override { return open && room; }
  void close() override { open = false; }

  std::atomic<bool> open{true};
  std::atomic<bool> room{true};
  std::vector<Bytes> sent;
  std::vector<std::shared_ptr<const StoredData>> stored;

 private:
  const std::uint64_t id_;
};

}  // namespace ddm
