#include "records/reclamation.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace ddm {
namespace {

std::size_t stripe_of_this_thread() {
  static std::atomic<std::size_t> threads{0};
  static thread_local const std::size_t number = threads.fetch_add(1, std::memory_order_relaxed);
  return number;
}

}  // namespace

// Between the two steps phases may pass and the count then goes to the wrong set. That is no harm:
// what was retired before the count shows was unreachable by then, and what is retired later waits
// for both sets.
std::atomic<std::int64_t>& Reclamation::enter() noexcept {
  const std::uint64_t phase = phase_.load(std::memory_order_relaxed);
  auto& readers = sets_[phase % 2][stripe_of_this_thread() % kStripes].readers;
  readers.fetch_add(1, std::memory_order_seq_cst);
  return readers;
}

std::vector<std::shared_ptr<const void>> Reclamation::try_advance() {
  const std::lock_guard lock(mutex_);
  const std::uint64_t next = phase_.load(std::memory_order_relaxed) + 1;
  for (const Stripe& stripe : sets_[next % 2]) {
    if (stripe.readers.load(std::memory_order_seq_cst) != 0) return {};
  }
  phase_.store(next, std::memory_order_seq_cst);
  std::swap(retired_, retired_before_);
  return std::exchange(retired_, {});
}

void Reclamation::retire(std::shared_ptr<const void> unreachable) {
  {
    const std::lock_guard lock(mutex_);
    retired_.push_back(std::move(unreachable));
  }
  try_advance();
}

bool Reclamation::wait_for_readers(std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  const std::uint64_t wanted = phase_.load(std::memory_order_seq_cst) + 2;
  for (;;) {
    try_advance();
    if (phase_.load(std::memory_order_relaxed) >= wanted) return true;
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

}  // namespace ddm
