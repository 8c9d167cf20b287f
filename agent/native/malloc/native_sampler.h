// Sampling of native allocations, on and off at any time. After stop() the samples stay readable
// until the next start(), in their last state: without hooks, frees are not seen.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "native/malloc/allocation_hooks.h"
#include "native/malloc/library_watch.h"
#include "native/malloc/sample_table.h"

namespace ddm {

// The live allocations of one size and stack, estimated from the samples.
struct LiveAllocations {
  std::uint64_t bytes = 0;             // of each
  double count = 0;                    // unbiased estimate
  std::vector<std::uintptr_t> native;  // return addresses in libraries, innermost first
  std::vector<JavaFrame> java;         // their Java callers
};

class NativeSampler {
 public:
  // "" or the error, in which case nothing has changed. Once per process; the object is never
  // destroyed. Nothing is sampled yet.
  static std::string create(JavaStackReader java_stack, NativeSampler** sampler);

  // Drops the earlier samples. False: libraries loaded later will not be hooked. start() and stop():
  // one thread at a time.
  bool start(std::uint64_t mean_bytes);
  void stop();
  // The VM has ended, but the process may continue: stops scanning for libraries.
  static void end() { LibraryWatch::stop(); }

  std::uint64_t mean() const { return mean_; }  // of live()'s samples
  bool on() const { return on_; }

  // By size and stack, most bytes first. Any thread.
  std::vector<LiveAllocations> live() const;

  // The number of samples dropped because the table was full.
  std::uint64_t dropped() const { return table_.dropped(); }

 private:
  explicit NativeSampler(SampleTable& table) : table_(table) {}

  std::atomic<std::uint64_t> mean_{1};
  std::atomic<bool> on_{false};
  SampleTable& table_;
  LibraryWatch watch_;
};

}  // namespace ddm
