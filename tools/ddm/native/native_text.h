// Native memory by stack, and its difference to a mark, as text and JSON. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "json_values.h"
#include "native/native_stacks.h"
#include "output.h"

namespace ddm {

struct NativeTextLimits {
  std::size_t stacks, frames;    // to be shown; of a difference so many that grew and that shrank
  std::size_t width = kNoWidth;  // of the terminal
};

// "about 3.0 MiB in 200 blocks of malloc that are not freed, ...", then the stacks.
std::string native_text(const std::vector<NativeStack>& stacks, NativeTextLimits limits);
// "about +3.0 MiB in +200 blocks of malloc since mark 'one', ...", then what grew and what shrank.
std::string native_change_text(const std::vector<NativeStack>& changes, std::string_view mark,
                               NativeTextLimits limits);

// {bytes, count, stack}
Json native_stack_json(const NativeStack& stack);

// As lines: one of {type: "difference", ...}, then one of {type: "change", ...} for each stack.
std::string native_change_lines(const std::vector<NativeStack>& changes, std::string_view mark,
                                const ReportSummary& summary);

}  // namespace ddm
