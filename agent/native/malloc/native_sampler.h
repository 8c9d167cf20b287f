// Sampling of native allocations, on and off at any time. After it is switched off, the samples can
// be read until the next start, in their last state: without hooks, frees are not seen any more.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "native/malloc/allocation_hooks.h"
#include "native/malloc/library_watch.h"
#include "native/malloc/sample_table.h"

namespace ddm {

// Living allocations of one size with one stack, as far as the samples tell.
struct LiveAllocations {
  std::uint64_t bytes = 0;             // of one
  double count = 0;                    // an estimate without bias
  std::vector<std::uintptr_t> native;  // return addresses in libraries, innermost first
  std::vector<JavaFrame> java;         // that called them
};

class NativeSampler {
 public:
  // "" or what went wrong; then nothing has changed. Once a process. The object lives for good;
  // nothing is sampled yet.
  static std::string create(JavaStackReader java_stack, NativeSampler** sampler);

  // Anew: what was sampled before is forgotten. False: libraries that are loaded later will not be
  // seen. These two are one thread's at a time.
  bool start(std::uint64_t mean_bytes);
  void stop();
  // The VM has ended, but the process may continue: stops looking for libraries.
  static void end() { LibraryWatch::stop(); }

  std::uint64_t mean() const { return mean_; }  // of what live() tells
  bool on() const { return on_; }

  // By size and stack, the most bytes first. Any thread.
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
