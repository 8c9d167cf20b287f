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

void LiveStore::Chunks::append(Chunks more) {
  list_.insert(list_.end(), std::make_move_iterator(more.list_.begin()),
               std::make_move_iterator(more.list_.end()));
}

bool LiveStore::add_chunk() {
  try {
    auto chunk = std::make_unique<Chunks::Chunk>();
    if (!chunk->entries.good() || !chunk->born_gcs.good()) return false;
    chunks_.list_.push_back(std::move(chunk));
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

LiveStore::Chunks LiveStore::take() {
  taken_ += chunks_.list_.size();
  return std::exchange(chunks_, {});
}

// What was added meanwhile stays the last.
void LiveStore::give_back(Chunks chunks) {
  taken_ = 0;
  chunks.append(std::move(chunks_));
  chunks_ = std::move(chunks);
}

}  // namespace ddm
