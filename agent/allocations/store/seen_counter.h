// What one thread has seen of its own allocations: counted by that thread alone, without a lock,
// and read as a whole by any other.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace ddm {

struct Seen {
  std::int64_t samples = 0;  // records and drops; samples stand for fractions of allocations
  std::int64_t dropped = 0;
  double count = 0;
  double bytes = 0;
  std::uint64_t last_seq = 0;  // the newest record among them
  std::uint64_t entries = 0;   // in the thread's SiteJournal, then

  void add(const Seen& more) {
    samples += more.samples;
    dropped += more.dropped;
    count += more.count;
    bytes += more.bytes;
    if (more.last_seq > last_seq) last_seq = more.last_seq;
  }
};

class SeenCounter {
 public:
  // By the owner. All fields are those of one more allocation; last_seq 0 keeps the former, entries
  // are how many there are now.
  void add(const Seen& more) {
    const std::uint32_t version = version_.load(std::memory_order_relaxed);
    version_.store(version + 1, std::memory_order_relaxed);  // odd: being written
    plus(samples_, more.samples);
    plus(dropped_, more.dropped);
    plus(count_, more.count);
    plus(bytes_, more.bytes);
    if (more.last_seq != 0) last_seq_.store(more.last_seq, std::memory_order_release);
    entries_.store(more.entries, std::memory_order_release);
    version_.store(version + 2, std::memory_order_release);
  }

  // While nobody adds.
  void clear() {
    for (auto* sum : {&samples_, &dropped_}) sum->store(0);
    for (auto* sum : {&count_, &bytes_}) sum->store(0);
    last_seq_.store(0);
    entries_.store(0);
  }

  Seen read() const {
    for (int tries = 0;; ++tries) {
      const std::uint32_t before = version_.load(std::memory_order_acquire);
      const Seen seen{
          samples_.load(std::memory_order_acquire),  dropped_.load(std::memory_order_acquire),
          count_.load(std::memory_order_acquire),    bytes_.load(std::memory_order_acquire),
          last_seq_.load(std::memory_order_acquire), entries_.load(std::memory_order_acquire)};
      const bool whole = (before & 1) == 0 && version_.load(std::memory_order_relaxed) == before;
      // An owner that lost its processor in these few instructions will have it back, on a busy
      // machine not at once; one that was stopped for good keeps nobody from a report.
      if (whole || tries == kMostTries) return seen;
      if (tries < kTriesAtOnce) {
        std::this_thread::yield();
      } else {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
  }

 private:
  static constexpr int kTriesAtOnce = 100;
  static constexpr int kMostTries = kTriesAtOnce + 200;

  // Each is released, so that a reader who has seen one of them sees the odd version too.
  template <typename T>
  static void plus(std::atomic<T>& sum, T more) {
    sum.store(sum.load(std::memory_order_relaxed) + more, std::memory_order_release);
  }

  std::atomic<std::uint32_t> version_{0};
  std::atomic<std::int64_t> samples_{0};
  std::atomic<std::int64_t> dropped_{0};
  std::atomic<double> count_{0};
  std::atomic<double> bytes_{0};
  std::atomic<std::uint64_t> last_seq_{0};
  std::atomic<std::uint64_t> entries_{0};
};

}  // namespace ddm
