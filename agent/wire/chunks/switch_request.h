// Requests that switch one thing on or off: THEN and REAE; and REAQ's reply.   u1, 0 = off
#pragma once

#include "wire/chunks/special_fields.h"

namespace ddm {

template <ChunkType Type>
struct Switch {
  static constexpr ChunkType kType = Type;
  bool on = false;
  static constexpr auto kFields = std::tuple(&Switch::on);
};

using ThreadEventsRequest = Switch<chunk_type("THEN")>;
using TrackingState = Switch<chunk_type("REAQ")>;  // the request has no data

// REAE   u1 on, optional u1: not 0 = only until this connection ends; off: only what this connection
//        switched on so, and nothing else keeps on
struct TrackingRequest {
  static constexpr ChunkType kType = chunk_type("REAE");
  bool on = false;
  bool while_connected = false;
  static constexpr auto kFields =
      std::tuple(&TrackingRequest::on, LeftOutIfEmpty(&TrackingRequest::while_connected));
};

}  // namespace ddm
