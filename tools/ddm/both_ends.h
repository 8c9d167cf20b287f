// Which rows of a sorted table of differences are shown.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ddm {

// Of rows by bytes, the largest first: the first `top`, and the last `top` of those that are less
// than nothing: what has grown most and what has shrunk most.
template <typename Row>
std::vector<const Row*> both_ends(const std::vector<Row>& rows, std::size_t top) {
  const auto less = [](const Row& row) { return row.bytes < 0; };
  const auto shrunk = static_cast<std::size_t>(std::ranges::count_if(rows, less));
  const std::size_t first = std::min(rows.size() - shrunk, top), last = std::min(shrunk, top);
  std::vector<const Row*> shown;
  for (std::size_t i = 0; i < first; ++i) shown.push_back(&rows[i]);
  for (std::size_t i = rows.size() - last; i < rows.size(); ++i) shown.push_back(&rows[i]);
  return shown;
}

}  // namespace ddm
