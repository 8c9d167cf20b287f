// From where on a handler for everything may stand over a method.
#pragma once

#include <optional>

#include "bci/transformation.h"

namespace bci {

// The first label that such a handler may cover: all the code, in a constructor what runs behind
// this() or super(). Nothing, and why, where the VM would not take it.
std::optional<Label> catch_all_start(MethodContext& method, SkipReason& why);

}  // namespace bci
