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

// REAE   u1 on, optional u1: not 0 = only until this connection ends
struct TrackingRequest {
  static constexpr ChunkType kType = chunk_type("REAE");
  bool on = false;
  bool while_connected = false;

  Bytes encode() const {
    if (on && while_connected) return {1, 1};
    return {static_cast<std::uint8_t>(on ? 1 : 0)};
  }
  static std::optional<TrackingRequest> decode(ByteSpan data) {
    if (data.empty()) return {};
    const bool on = data[0] != 0;
    return TrackingRequest{on, on && data.size() > 1 && data[1] != 0};
  }
  friend bool operator==(const TrackingRequest&, const TrackingRequest&) = default;
};

}  // namespace ddm
