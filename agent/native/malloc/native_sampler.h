// Sampling of native allocations, from one call on until the process ends.
#pragma once

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
  // "" or what went wrong; then nothing has changed. Once a process. The object lives for good, and
  // somebody has to call watch().start().
  static std::string start(std::uint64_t mean_bytes, JavaStackReader java_stack,
                           NativeSampler** sampler);

  LibraryWatch& watch() { return watch_; }

  // By size and stack, the most bytes first. Any thread.
  std::vector<LiveAllocations> live() const;

  // Samples that there was no room for.
  std::uint64_t dropped() const { return table_.dropped(); }

 private:
  NativeSampler(std::uint64_t mean_bytes, SampleTable& table) : mean_(mean_bytes), table_(table) {}

  const std::uint64_t mean_;
  SampleTable& table_;
  LibraryWatch watch_;
};

}  // namespace ddm
