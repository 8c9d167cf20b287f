// OPTS, a DDM extension: options of a further load of the agent, for as long as this connection
// lasts.
//
//   request  str options, str what undoes them, option by option; both empty: undoes them now.
//            An option without an undoing value joins another connection that has it already.
//   reply    str: what the agent logged meanwhile, a line each
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "wire/chunks/fields.h"

namespace ddm {

inline constexpr std::string_view kLentOptionsFeature = "lent-options";  // in FEAT

// What can be had so: options that a further load switches on and off without a trace.
inline constexpr std::array<std::string_view, 5> kLendable = {"cpu", "monitor", "live", "engine",
                                                              "interval"};

struct LentOptionsRequest {
  static constexpr ChunkType kType = chunk_type("OPTS");
  std::string options, undoing;
  static constexpr auto kFields =
      std::tuple(&LentOptionsRequest::options, &LentOptionsRequest::undoing);
  Bytes encode() const { return encode_fields(*this); }
  static auto decode(ByteSpan data) { return decode_fields<LentOptionsRequest>(data); }
  friend bool operator==(const LentOptionsRequest&, const LentOptionsRequest&) = default;
};

struct LentOptionsReply {
  static constexpr ChunkType kType = chunk_type("OPTS");
  std::string lines;
  static constexpr auto kFields = std::tuple(&LentOptionsReply::lines);
  Bytes encode() const { return encode_fields(*this); }
  static auto decode(ByteSpan data) { return decode_fields<LentOptionsReply>(data); }
  friend bool operator==(const LentOptionsReply&, const LentOptionsReply&) = default;
};

}  // namespace ddm
