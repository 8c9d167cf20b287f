// PRBW: what a user should know before probes or a trace change classes. A DDM extension; FEAT
// names it `probes`.
#pragma once

#include <utility>

#include "wire/chunks/fields.h"

namespace ddm {

// PRBW, request.   str methods, str more methods: patterns as in ddm trace
struct OutlookRequest {
  static constexpr ChunkType kType = chunk_type("PRBW");
  std::string methods{}, more{};  // `more` may be ""
  static constexpr auto kFields = std::tuple(&OutlookRequest::methods, &OutlookRequest::more);
};

// The reply.
//   u4 number of changes from which on they do harm, 0 = no limit
//   u4 count, str each: methods of the classes that are active on a stack, "shop.Cart.total"
//   u4 count, x { str class, u4 changes so far }: classes at or above that limit
struct ClassOutlook {
  static constexpr ChunkType kType = chunk_type("PRBW");
  std::uint32_t many = 0;
  std::vector<std::string> running{};
  std::vector<std::pair<std::string, std::uint32_t>> changed{};
  static constexpr auto kFields =
      std::tuple(&ClassOutlook::many, &ClassOutlook::running, &ClassOutlook::changed);
};

}  // namespace ddm
