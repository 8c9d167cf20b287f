#include "time/calls/method_sums.h"

namespace ddm {

SumTable::Group* CommonSums::group(PathNumber path) noexcept {
  const std::lock_guard lock(mutex_);
  auto& slot = table_.group_of(path);
  return slot.owned || slot.own(/*of_all=*/true) ? slot.owned.get() : nullptr;
}

SumTable::Block* CommonSums::block(PathNumber path) noexcept {
  SumTable::Group* const of_path = group(path);
  if (of_path == nullptr) return nullptr;
  const std::lock_guard lock(mutex_);
  auto& slot = SumTable::block_of(*of_path, path);
  return slot.owned || slot.own(/*of_all=*/true) ? slot.owned.get() : nullptr;
}

// A common group's blocks are common, and several threads may add one at a time.
MethodSums::Place MethodSums::add(PathNumber path) noexcept {
  auto& group = table_.group_of(path);
  if (group.seen.load(std::memory_order_relaxed) == nullptr) {
    const bool own = common_->has_room(sizeof(SumTable::Group)) && group.own(/*of_all=*/false);
    if (!own) group.refer_to(common_->group(path), /*of_all=*/true);
  }
  SumTable::Group* const of_path = group.seen.load(std::memory_order_relaxed);
  if (of_path == nullptr) return {};
  auto& slot = SumTable::block_of(*of_path, path);
  if (group.common) {
    SumTable::Block* const block = common_->block(path);
    return {block != nullptr ? &block->sums[path % SumTable::kSums] : nullptr, true};
  }
  const bool own = common_->has_room(sizeof(SumTable::Block)) && slot.own(/*of_all=*/false);
  if (!own) slot.refer_to(common_->block(path), /*of_all=*/true);
  SumTable::Block* const block = slot.seen.load(std::memory_order_relaxed);
  return {block != nullptr ? &block->sums[path % SumTable::kSums] : nullptr, slot.common};
}

}  // namespace ddm
