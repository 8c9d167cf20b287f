#include "allocations/store/record_set.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ddm {

void RecordSet::sort() {
  std::vector<std::size_t> order(records_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [this](std::size_t a, std::size_t b) { return records_[a].seq < records_[b].seq; });
  std::vector<AllocRecord> records;
  std::vector<std::size_t> first_frame;
  records.reserve(order.size());
  first_frame.reserve(order.size());
  for (const std::size_t at : order) {
    records.push_back(records_[at]);
    first_frame.push_back(first_frame_[at]);
  }
  records_ = std::move(records);
  first_frame_ = std::move(first_frame);
}

}  // namespace ddm
