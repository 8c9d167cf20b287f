// How far a thread is from its next sample, as the VM keeps it in the thread, and how to begin
// anew.
//
// The VM draws a countdown when a thread begins or was sampled, for the interval of that moment: a
// thread that is older than a new interval would be sampled too late or too often. The words are
// not exported; they lie behind Thread::_allocated_bytes in every release so far:
//
//   until 23   u8 bytes left until the next sample
//   from 24    u8 bytes from one sample to the next; the TLAB's top at the last one, or its start;
//              u8 allocated since in buffers before this one; u8 allocated since outside of any.
//              These go on while nobody samples: each old thread would be sampled at once.
//
// Before anything is written there, one thread is watched: which words change, and how, when it has
// its first sample with interval 0, after which its countdown is 0.
#pragma once

#include <array>
#include <cstdint>

namespace ddm {

class SampleCountdown {
 public:
  // `position`: of the first word in a thread.
  explicit SampleCountdown(std::int64_t position) : position_(position) {}

  // A thread's words, and its TLAB: 0 and 0 if it has none.
  struct Seen {
    std::array<std::uint64_t, 4> words{};
    std::uint64_t tlab_start = 0;
    std::uint64_t tlab_top = 0;
  };
  Seen look(std::uintptr_t thread, std::uint64_t tlab_start, std::uint64_t tlab_top) const;

  // What the calling thread looked like before and after a first sample with interval 0.
  void learn(const Seen& before, const Seen& after);
  bool known() const { return form_ != Form::kUnknown; }

  // Countdowns are drawn around `interval_bytes` from now on.
  void expect_interval(std::int64_t interval_bytes);

  bool looks_right(const Seen& thread) const;
  void begin(std::uintptr_t thread, const Seen& seen, std::uint64_t bytes) const;

 private:
  enum class Form { kUnknown, kBytesLeft, kBytesSince };

  bool is_countdown(std::uint64_t word) const { return word < most_; }

  std::int64_t position_;
  Form form_ = Form::kUnknown;
  std::uint64_t most_ = 0;  // no countdown is as long
};

}  // namespace ddm
