// The range of a method that a catch-all handler may cover.
#pragma once

#include <optional>

#include "bci/transformation.h"

namespace bci {

// The first label that the handler may cover: 0, or in a constructor the code after this() or
// super(). nullopt, with the reason, where the VM would reject the handler.
std::optional<Label> catch_all_start(MethodContext& method, SkipReason& why);

}  // namespace bci
