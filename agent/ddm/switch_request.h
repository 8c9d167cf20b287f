// Requests that turn one thing on or off: THEN and REAE; and REAQ's answer.   u1, 0 = off
#pragma once

#include "ddm/chunk.h"

namespace ddm {

template <ChunkType Type>
struct Switch {
  static constexpr ChunkType kType = Type;
  bool on = false;

  Bytes encode() const { return {static_cast<std::uint8_t>(on ? 1 : 0)}; }
  static std::optional<Switch> decode(ByteSpan data) {
    if (data.empty()) return {};
    return Switch{data[0] != 0};
  }
  friend bool operator==(const Switch&, const Switch&) = default;
};

using ThreadEventsRequest = Switch<chunk_type("THEN")>;
using TrackingRequest = Switch<chunk_type("REAE")>;
using TrackingState = Switch<chunk_type("REAQ")>;  // the request has no data

}  // namespace ddm
