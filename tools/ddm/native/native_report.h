// Native memory as the data of a report, so that every report format can show it: a block is an
// allocation of the class "malloc", a native function is a method of its library.
#pragma once

#include <vector>

#include "native/native_stacks.h"
#include "wire_report.h"

namespace ddm {

// Stacks with a negative difference are left out. `interval`: bytes between samples.
NamedReport native_report(const std::vector<NativeStack>& stacks, const HelloReply& hello,
                          std::int64_t interval, std::int64_t now_ms);

}  // namespace ddm
