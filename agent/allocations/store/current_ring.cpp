#include "allocations/store/current_ring.h"

#include <chrono>
#include <utility>

namespace ddm {
namespace {

constexpr std::chrono::milliseconds kPatienceWithWriters{100};

}  // namespace

void CurrentRing::replace(std::shared_ptr<AllocRing> ring) {
  ring_.store(ring.get());
  if (auto old = std::exchange(owned_, std::move(ring))) {
    reclamation_.retire(std::move(old));
    reclamation_.wait_for_readers(kPatienceWithWriters);
  }
}

}  // namespace ddm
