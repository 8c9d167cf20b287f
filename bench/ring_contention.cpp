// What one record costs in the ring when 1 to 16 threads write at the same time.
//
//   cmake --build --preset release --target ring_contention && build/release/bin/ring_contention
//
// `think` is what a thread does between two records: 0 = nothing, the worst case; else about as
// long as a stack walk. CPU time a record shows what sharing costs (waiting for cache lines is CPU
// time); wall time a record shows whether threads run side by side. A ring with one lock around the
// copy stands beside for comparison.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <mutex>
#include <thread>
#include <vector>

#include "allocations/store/current_ring.h"

namespace ddm {
namespace {

constexpr int kRecords = 4'000'000;
constexpr int kRounds = 5;
constexpr std::size_t kFrames = kDefaultDepth;

double thread_cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// The comparison: a mutex around the copy.
class LockedRing {
 public:
  bool push(const AllocRecord& record, const std::vector<Frame>& frames) {
    AllocRecord stored = record;
    stored.frame_count = static_cast<std::uint16_t>(frames.size());
    const std::lock_guard lock(mutex_);
    stored.seq = next_++;
    std::byte* to =
        slots_.data() + stored.seq % kDefaultRecords * RingSlots::adjacent_bytes(kDefaultDepth);
    std::memcpy(to, &stored, sizeof stored);
    std::memcpy(to + sizeof stored, frames.data(), frames.size() * sizeof(Frame));
    return true;
  }

 private:
  std::mutex mutex_;
  std::uint64_t next_ = 1;
  std::vector<std::byte> slots_{kDefaultRecords * RingSlots::adjacent_bytes(kDefaultDepth)};
};

class TicketRing {
 public:
  TicketRing() { ring_.replace(AllocRing::create(kDefaultRecords, kDefaultDepth)); }
  bool push(const AllocRecord& record, const std::vector<Frame>& frames) {
    const Reclamation::Reading reading;
    return ring_.get()->push(record, frames);
  }

 private:
  Reclamation reclamation_;
  CurrentRing ring_{reclamation_};
};

struct Cost {
  double cpu_ns = 0;
  double wall_ns = 0;
};

template <typename Ring>
Cost cost(Ring& ring, int threads, int think) {
  std::vector<double> cpu(static_cast<std::size_t>(threads));
  std::atomic<int> refused{0};
  std::vector<std::thread> writers;
  const auto begin = std::chrono::steady_clock::now();
  for (int t = 0; t < threads; ++t) {
    writers.emplace_back([&, t] {
      AllocRecord record;
      record.thread_id = t;
      const std::vector<Frame> frames(kFrames, Frame{1, 2});
      const double before = thread_cpu_ns();
      volatile int thought = 0;
      for (int i = 0; i < kRecords / threads; ++i) {
        for (int k = 0; k < think; ++k) thought = thought + 1;
        record.size = i;
        if (!ring.push(record, frames)) ++refused;
      }
      cpu[static_cast<std::size_t>(t)] = thread_cpu_ns() - before;
    });
  }
  for (std::thread& writer : writers) writer.join();
  const std::chrono::duration<double, std::nano> wall = std::chrono::steady_clock::now() - begin;
  if (refused > 0) std::printf("  %d records found no slot\n", refused.load());
  Cost result{0, wall.count() / kRecords};
  for (const double ns : cpu) result.cpu_ns += ns / kRecords;
  return result;
}

template <typename Ring>
Cost median_cost(Ring& ring, int threads, int think) {
  std::vector<Cost> costs;
  for (int round = 0; round < kRounds; ++round) costs.push_back(cost(ring, threads, think));
  std::sort(costs.begin(), costs.end(),
            [](const Cost& a, const Cost& b) { return a.cpu_ns < b.cpu_ns; });
  return costs[kRounds / 2];
}

void run() {
  LockedRing locked;
  TicketRing ticket;
  std::printf("%u processors; ns a record, median of %d rounds of %d records\n",
              std::thread::hardware_concurrency(), kRounds, kRecords);
  std::printf("%6s %8s  %10s %10s  %10s %10s\n", "think", "threads", "ring cpu", "ring wall",
              "lock cpu", "lock wall");
  for (const int think : {0, 200}) {
    for (const int threads : {1, 2, 4, 8, 16}) {
      const Cost ours = median_cost(ticket, threads, think);
      const Cost theirs = median_cost(locked, threads, think);
      std::printf("%6d %8d  %10.1f %10.1f  %10.1f %10.1f\n", think, threads, ours.cpu_ns,
                  ours.wall_ns, theirs.cpu_ns, theirs.wall_ns);
    }
  }
}

}  // namespace
}  // namespace ddm

int main() { ddm::run(); }
