// OPTS, a DDM extension: options of a further load of the agent, for the duration of this connection.
//
//   request  str options, str options that undo them, one for each; both empty: undoes them now. An
//            option without one must already be in effect for another connection. `engine=` and
//            `interval=` undo with the value that the agent has at that moment.
//   reply    str: what the agent logged meanwhile, one line each
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "wire/chunks/fields.h"

namespace ddm {

inline constexpr std::string_view kLentOptionsFeature = "lent-options";  // in FEAT

// The options that may be lent: a further load can switch them on and fully off.
inline constexpr std::array<std::string_view, 5> kLendable = {"cpu", "monitor", "live", "engine",
                                                              "interval"};

struct LentOptionsRequest {
  static constexpr ChunkType kType = chunk_type("OPTS");
  std::string options, undoing;
  static constexpr auto kFields =
      std::tuple(&LentOptionsRequest::options, &LentOptionsRequest::undoing);
};

struct LentOptionsReply {
  static constexpr ChunkType kType = chunk_type("OPTS");
  std::string lines;
  static constexpr auto kFields = std::tuple(&LentOptionsReply::lines);
};

}  // namespace ddm
