// Requests and events that concern the program as a whole: APNM, WAIT, DBGD, EXIT, HPGC.
#pragma once

#include "wire/chunks/special_fields.h"

namespace ddm {

// Requests without data.
inline constexpr ChunkType kDebuggerGone = chunk_type("DBGD");  // acknowledged by DBGD or nothing
inline constexpr ChunkType kCollectGarbage = chunk_type("HPGC");

// HPGC with data, an extension: u1 1 = concurrently if the collector can, which keeps dead young
// objects. The reply is the same if that was done, else, after a full collection, without data.
inline Chunk collect_beside_program() { return {kCollectGarbage, {1}}; }

// APNM, event: the application's name has changed.   str name, u4 user id, str package
// The last two fields were added later; a reader accepts data without them.
struct AppName {
  static constexpr ChunkType kType = chunk_type("APNM");
  std::string name;
  std::uint32_t user_id = 0;
  std::string package;
  static constexpr auto kFields =
      std::tuple(&AppName::name, AddedLater(&AppName::user_id, &AppName::package));
};

// WAIT, event: the program waits for a server.   u1 reason, 0 = for a debugger
struct Waiting {
  static constexpr ChunkType kType = chunk_type("WAIT");
  std::uint8_t reason = 0;
  static constexpr auto kFields = std::tuple(&Waiting::reason);
};

// EXIT, request: end the program.   u4 status
struct ExitRequest {
  static constexpr ChunkType kType = chunk_type("EXIT");
  std::int32_t status = 0;
  static constexpr auto kFields = std::tuple(&ExitRequest::status);
};

}  // namespace ddm
