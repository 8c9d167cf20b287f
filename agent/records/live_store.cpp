#include "records/live_store.h"

#include <iterator>
#include <new>
#include <utility>

namespace ddm {

std::size_t LiveStore::Chunks::size() const {
  std::size_t sum = 0;
  for (const auto& chunk : list_) sum += chunk->used;
  return sum;
}

bool LiveStore::add_chunk() {
  try {
    auto chunk = std::make_unique<Chunks::Chunk>();
    if (!chunk->entries.good()) return false;
    chunks_.list_.push_back(std::move(chunk));
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

LiveStore::Chunks LiveStore::take() {
  taken_ = chunks_.list_.size();
  return std::exchange(chunks_, {});
}

// What was added meanwhile stays the last.
void LiveStore::give_back(Chunks chunks) {
  taken_ = 0;
  auto& back = chunks.list_;
  back.insert(back.end(), std::make_move_iterator(chunks_.list_.begin()),
              std::make_move_iterator(chunks_.list_.end()));
  chunks_ = std::move(chunks);
}

}  // namespace ddm
