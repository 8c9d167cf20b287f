// Stacks of .collapsed files, which have no escapes: ';' separates the frames, outermost first, and
// the last blank separates a stack from its number.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "report/report.h"

namespace ddm {

inline void append_collapsed(std::string& stack, std::string_view frame) {
  if (!stack.empty()) stack += ';';
  const std::size_t begin = stack.size();
  stack += frame;
  std::ranges::replace_if(
      std::span(stack).subspan(begin), [](char c) { return c == ';' || c == ' '; }, '_');
}

// The outermost frame of stacks of estimates, the only place where the format can say so; "": exact.
inline std::string estimated_frame(const ReportSummary& summary) {
  return summary.sampled() ? fmt::format("[estimated: {}]", sampling_words(summary)) : "";
}

}  // namespace ddm
