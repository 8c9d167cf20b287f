// FAIL, the error reply.
//
//   u4 code, str message
#pragma once

#include "wire/chunks/fields.h"

namespace ddm {

enum class FailCode : std::uint32_t {
  kRefused = 1,   // invalid data or an impossible request; the only code that Android uses
  kInternal = 2,  // not the request's fault: out of memory, shutting down
  kTooBig = 3,    // the answer exceeds the size of a packet
};

struct Fail {
  static constexpr ChunkType kType = chunk_type("FAIL");
  FailCode code = FailCode::kRefused;
  std::string message;
  static constexpr auto kFields = std::tuple(&Fail::code, &Fail::message);
};

}  // namespace ddm
