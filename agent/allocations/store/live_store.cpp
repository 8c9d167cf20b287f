#include "allocations/store/live_store.h"

#include <iterator>
#include <new>
#include <utility>

namespace ddm {

std::size_t LiveStore::Chunks::size() const {
  std::size_t sum = 0;
  for (const auto& chunk : list_) sum += chunk->used;
  return sum;
}

void LiveStore::Chunks::append(Chunks more) {
  list_.insert(list_.end(), std::make_move_iterator(more.list_.begin()),
               std::make_move_iterator(more.list_.end()));
}

void LiveStore::Chunks::clear_from(std::size_t first) {
  for (std::size_t i = first; i < list_.size() && spare_.size() < most_spare_; ++i) {
    list_[i]->used = 0;
    spare_.push_back(std::move(list_[i]));
  }
  list_.resize(first);
}

bool LiveStore::add_chunk() {
  try {
    if (spare_.empty()) {
      auto chunk = std::make_unique<Chunks::Chunk>();
      if (!chunk->entries.good() || !chunk->born_gcs.good()) return false;
      spare_.push_back(std::move(chunk));
    }
    chunks_.list_.push_back(std::move(spare_.back()));
    spare_.pop_back();
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

LiveStore::Chunks LiveStore::take() {
  taken_ += chunks_.list_.size();
  Chunks taken = std::exchange(chunks_, {});
  taken.most_spare_ = kMostSpare - spare_.size();
  return taken;
}

LiveStore::Chunks LiveStore::take_spare() {
  Chunks spare;
  spare.list_ = std::exchange(spare_, {});
  return spare;
}

// Chunks that were added meanwhile remain the last ones.
void LiveStore::give_back(Chunks chunks) {
  taken_ = 0;
  for (auto& chunk : chunks.spare_) {
    if (spare_.size() < kMostSpare) spare_.push_back(std::move(chunk));
  }
  chunks.spare_.clear();
  chunks.append(std::move(chunks_));
  chunks_ = std::move(chunks);
}

}  // namespace ddm
