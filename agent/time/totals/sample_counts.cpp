#include "time/totals/sample_counts.h"

#include <algorithm>
#include <array>
#include <functional>

namespace ddm {

void SampleCounts::add(std::string_view thread, TraceNumber trace, std::int64_t count) {
  const std::lock_guard lock(mutex_);
  std::pair key(threads_.number_of(thread), trace);
  auto at = counts_.find(key);
  if (at == counts_.end()) {
    if (counts_.size() >= kMostCounts) key.second = kNoTrace;
    at = counts_.try_emplace(key).first;
  }
  at->second += count;
}

void SampleCounts::clear() {
  const std::lock_guard lock(mutex_);
  threads_.clear();
  counts_.clear();
}

std::vector<StackSample> SampleCounts::read(const CallTree& traces) const {
  const std::lock_guard lock(mutex_);
  std::vector<StackSample> result;
  result.reserve(counts_.size());
  std::array<Frame, kMaxTreeDepth> frames;
  for (const auto& [key, count] : counts_) {
    if (count <= 0) continue;  // taken back
    const auto depth = static_cast<std::ptrdiff_t>(traces.read(key.second, frames));
    result.push_back({count,
                      std::string(threads_.name_of(key.first)),
                      {frames.begin(), frames.begin() + depth},
                      traces.cut(key.second)});
  }
  std::ranges::stable_sort(result, std::greater(), &StackSample::count);
  return result;
}

}  // namespace ddm
