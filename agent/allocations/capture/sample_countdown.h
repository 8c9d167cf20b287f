// Reads and restarts a thread's countdown to its next sample in the VM's memory.
//
// The VM draws a countdown when a thread starts or is sampled, for the interval at that moment: a
// thread older than a new interval would be sampled too late or too often. The words are not
// exported; they follow Thread::_allocated_bytes in every release so far:
//
//   until 23   u8 bytes left until the next sample
//   from 24    u8 bytes from one sample to the next; the TLAB's top at the last one, or its start;
//              u8 allocated since in earlier TLABs; u8 allocated since outside TLABs. These grow
//              while sampling is off: every old thread would be sampled at once.
//
// Before any write, one thread is observed: which words change, and how, at its first sample with
// interval 0, after which its countdown is 0.
#pragma once

#include <array>
#include <cstdint>

namespace ddm {

class SampleCountdown {
 public:
  // `position`: offset of the first word in a JavaThread.
  explicit SampleCountdown(std::int64_t position) : position_(position) {}

  // A thread's words, and its TLAB: 0 and 0 if it has none.
  struct Words {
    std::array<std::uint64_t, 4> words{};
    std::uint64_t tlab_start = 0;
    std::uint64_t tlab_top = 0;
  };
  Words read(std::uintptr_t thread, std::uint64_t tlab_start, std::uint64_t tlab_top) const;

  // The calling thread's words before and after a first sample with interval 0.
  void learn(const Words& before, const Words& after);
  bool known() const { return form_ != Form::kUnknown; }

  // Countdowns are drawn for `interval_bytes` from now on.
  void expect_interval(std::int64_t interval_bytes);

  bool is_plausible(const Words& thread) const;
  void begin(std::uintptr_t thread, const Words& seen, std::uint64_t bytes) const;

 private:
  enum class Form { kUnknown, kBytesLeft, kBytesSince };

  bool is_countdown(std::uint64_t word) const { return word < most_; }

  std::int64_t position_;
  Form form_ = Form::kUnknown;
  std::uint64_t most_ = 0;  // upper bound of countdowns
};

}  // namespace ddm
