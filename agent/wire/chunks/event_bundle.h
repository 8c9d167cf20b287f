// Events that belong together (a heap map), encoded once for all sessions that receive them. Large
// data is stored (StoredData), so encoding never waits for a peer.
//
// One thread at a time.
#pragma once

#include "wire/chunks/session.h"

namespace ddm {

class EventBundle {
 public:
  // `zlib`: for sessions that accept ZLIB.
  explicit EventBundle(bool zlib) : zlib_(zlib) {}

  void add(Chunk chunk);
  // Call after the last event. The error; "" if none.
  std::string finish();
  void send_to(Session& session) const;

 private:
  void store();

  const bool zlib_;
  GrowingData data_;  // packets
  std::string failed_;
};

}  // namespace ddm
