#include "core/reclamation.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <thread>
#include <utility>

namespace ddm {
namespace {

std::uint64_t oldest_phase_read() {
  std::uint64_t oldest = std::numeric_limits<std::uint64_t>::max();
  for (const ReaderPlace* place = ReaderPlace::first(); place != nullptr; place = place->next) {
    if (const std::uint64_t phase = place->phase.load(); phase != 0) {
      oldest = std::min(oldest, phase);
    }
  }
  return oldest;
}

}  // namespace

std::atomic<std::uint64_t> Reclamation::s_phase{1};

std::uint64_t Reclamation::free_unseen() {
  std::vector<Retired> unseen;  // destroyed after the lock
  const std::lock_guard lock(mutex_);
  fence_in_all_threads(s_phase);
  const std::uint64_t oldest = oldest_phase_read();
  const auto seen =
      std::stable_partition(retired_.begin(), retired_.end(),
                            [oldest](const Retired& retired) { return retired.phase >= oldest; });
  unseen.assign(std::make_move_iterator(seen), std::make_move_iterator(retired_.end()));
  retired_.erase(seen, retired_.end());
  return oldest;
}

void Reclamation::retire(std::shared_ptr<const void> unreachable) {
  {
    const std::lock_guard lock(mutex_);
    retired_.push_back({s_phase.fetch_add(1), std::move(unreachable)});
    if (retired_.size() < enough_) return;
  }
  free_unseen();
  const std::lock_guard lock(mutex_);
  enough_ = std::max(kEnough, 2 * retired_.size());
}

bool Reclamation::wait_for_readers(std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  const std::uint64_t now = s_phase.fetch_add(1);
  while (free_unseen() <= now) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
}

}  // namespace ddm
