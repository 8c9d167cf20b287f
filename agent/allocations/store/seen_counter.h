// Counts what one thread has seen of its own allocations: written by that thread alone, without a
// lock, and read consistently by any other.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace ddm {

struct Seen {
  std::int64_t samples = 0;  // records and drops, each counted as one whatever its weight
  std::int64_t dropped = 0;
  double count = 0;
  double bytes = 0;
  std::uint64_t last_seq = 0;  // the newest record among them
  std::uint64_t entries = 0;   // number of entries written to the thread's SiteJournal
  bool recording = false;      // a record may be in the ring that is not counted yet

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
  // Called by the owner, before it stores a record that it counts by the next add().
  void begin() { set_phase(kRecording); }
  // Called by the owner. Adds one allocation; last_seq 0 keeps the previous one, entries is
  // replaced.
  void add(const Seen& more) {
    set_phase(kWriting);
    plus(samples_, more.samples);
    if (more.dropped != 0) plus(dropped_, more.dropped);
    plus(count_, more.count);
    plus(bytes_, more.bytes);
    if (more.last_seq != 0) last_seq_.store(more.last_seq, std::memory_order_release);
    entries_.store(more.entries, std::memory_order_release);
    const std::uint32_t version = version_.load(std::memory_order_relaxed);
    version_.store((version | kPhase) + 1, std::memory_order_release);
  }

  // Call while the owner does not add.
  void clear() {
    for (auto* sum : {&samples_, &dropped_}) sum->store(0);
    for (auto* sum : {&count_, &bytes_}) sum->store(0);
    last_seq_.store(0);
    entries_.store(0);
  }

  Seen read() const {
    for (int tries = 0;; ++tries) {
      const std::uint32_t before = version_.load(std::memory_order_acquire);
      Seen seen{
          samples_.load(std::memory_order_acquire),  dropped_.load(std::memory_order_acquire),
          count_.load(std::memory_order_acquire),    bytes_.load(std::memory_order_acquire),
          last_seq_.load(std::memory_order_acquire), entries_.load(std::memory_order_acquire)};
      seen.recording = (before & kPhase) == kRecording;
      const bool whole =
          (before & kPhase) != kWriting && version_.load(std::memory_order_relaxed) == before;
      // A preempted owner will continue soon, on a busy machine not at once; a stopped one must not
      // block a report.
      if (whole || tries == kMostTries) return seen;
      if (tries < kTriesAtOnce) {
        std::this_thread::yield();
      } else {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
  }

 private:
  // The lower bits of the version; 0: the owner does neither.
  static constexpr std::uint32_t kRecording = 1, kWriting = 2, kPhase = 3;
  static constexpr int kTriesAtOnce = 100;
  static constexpr int kMostTries = kTriesAtOnce + 200;

  void set_phase(std::uint32_t phase) {
    const std::uint32_t version = version_.load(std::memory_order_relaxed);
    version_.store((version & ~kPhase) | phase, std::memory_order_relaxed);
  }
  // Release stores: a reader that has seen one of them also sees that the owner writes.
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
