// Makes the VM see the next allocation of every thread, from now on and without a collection.
//
// SampledObjectAlloc looks at an allocation only when it leaves the fast path, that is at the end
// of the thread's open TLAB. A slow thread may live in one TLAB for hours. So, while the VM stands
// still, the end of every open TLAB is moved to where the thread has come:
//
//   ThreadLocalAllocBuffer   _start .. _top .. _end .. (_allocation_end, the true end, not
//   exported)
//
// That is what the VM's own sampling does (set_sample_end); the slow path takes the true end back
// while the event is on, and gives the rest of the buffer up otherwise.
//
// There the VM also asks how many bytes of the thread are left until its next sample: the countdown
// (ThreadHeapSampler::_bytes_until_sample, _sample_threshold from 24 on), drawn around 512 KB when
// the thread began, and 0 once a sample was taken with interval 0. It is not exported; it lies
// behind Thread::_allocated_bytes in every release so far. Before anything is written there, one
// thread is watched: the word must go from such a number to 0 with its first sample.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <optional>
#include <string>

namespace ddm {

class OpenTlabs {
 public:
  // None where the VM's tables lack a field that is needed.
  static std::optional<OpenTlabs> find();

  struct Closed {
    int threads = 0;          // that had an open TLAB
    bool countdowns = false;  // those of all threads were set to 0
  };

  // The word that is taken for the calling thread's countdown, and what it was before and after a
  // first sample with interval 0. From then on close() sets countdowns, if they look right.
  std::uint64_t countdown(std::uintptr_t thread) const;
  void learn(std::uint64_t before, std::uint64_t after);
  bool countdowns_known() const { return countdowns_known_; }

  // Live phase, an attached thread, with SampledObjectAlloc on. `every_allocation`: the interval
  // is 0. The error: why the VM could not be stopped.
  std::string close(jvmtiEnv* jvmti, bool every_allocation, Closed& closed);

 private:
  OpenTlabs() = default;

  template <typename Visit>
  void for_each_thread(Visit visit) const;
  Closed close_all(bool every_allocation);
  bool countdowns_look_right() const;

  std::uintptr_t thread_list_ = 0;  // address of the pointer to the ThreadsList
  std::int64_t list_length_ = 0;
  std::int64_t list_threads_ = 0;
  std::int64_t tlab_start_ = 0;  // offsets in a thread
  std::int64_t tlab_top_ = 0;
  std::int64_t tlab_end_ = 0;
  std::int64_t countdown_ = 0;
  bool countdowns_known_ = false;
};

}  // namespace ddm
