// Requests that switch one thing on or off: THEN and REAE; and REAQ's reply.   u1, 0 = off
#pragma once

#include "wire/chunks/fields.h"

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

  Bytes encode() const {
    const auto first = static_cast<std::uint8_t>(on ? 1 : 0);
    if (while_connected) return {first, 1};
    return {first};
  }
  static std::optional<TrackingRequest> decode(ByteSpan data) {
    if (data.empty()) return {};
    return TrackingRequest{data[0] != 0, data.size() > 1 && data[1] != 0};
  }
  friend bool operator==(const TrackingRequest&, const TrackingRequest&) = default;
};

}  // namespace ddm
