// Many events that belong together (a heap map), made once for all sessions that are to have them.
// Nobody who makes one waits for a peer: what is big is stored until it is read.
//
// One thread at a time.
#pragma once

#include "wire/chunks/session.h"

namespace ddm {

class EventBundle {
 public:
  // `zlib`: for sessions that take ZLIB.
  explicit EventBundle(bool zlib) : zlib_(zlib) {}

  void add(Chunk chunk);
  // What went wrong, once everything is added; "" if nothing did.
  std::string finish();
  void send_to(Session& session) const;

 private:
  void store();

  const bool zlib_;
  Bytes packets_;                       // the last ones, not yet stored
  std::shared_ptr<StoredData> stored_;  // the others
  std::string failed_;
};

}  // namespace ddm
