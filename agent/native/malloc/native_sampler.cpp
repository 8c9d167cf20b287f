#include "native/malloc/native_sampler.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/own_memory.h"
#include "native/malloc/native_stack.h"
#include "native/malloc/sampling_interval.h"
#include "wire/chunks/mappings.h"

namespace ddm {
namespace {

// At one sample per 512 KiB, 32 GiB of live memory.
constexpr std::uint32_t kRecords = 1 << 16;

// Up to the first frame outside of libraries: libunwind cannot unwind Java frames, and its results
// beyond are wrong.
std::vector<std::uintptr_t> native_frames(const AllocationSample& sample,
                                          const std::vector<Mapping>& mappings) {
  const auto begin = sample.native.begin();
  const auto end = std::find_if(begin, begin + sample.native_frames, [&](std::uintptr_t frame) {
    const Mapping* mapping = find_mapping(mappings, frame);
    return mapping == nullptr || !mapping->executable || mapping->inode == 0;
  });
  return {begin, end};
}

}  // namespace

std::string NativeSampler::create(JavaStackReader java_stack, NativeSampler** sampler) {
#if !defined(__x86_64__)
  return "it needs an x86-64 machine";
#endif
  if (std::string error = open_libunwind(); !error.empty()) return error;
  auto table = SampleTable::create(kRecords);
  if (!table) return "there is no memory for the samples";
  SampleTable& samples = *table.release();  // free() uses the table until the process ends
  prepare_allocation_hooks(&samples, java_stack);
  *sampler = new NativeSampler(samples);
  return "";
}

bool NativeSampler::start(std::uint64_t mean_bytes) {
  stop();
  table_.clear();
  mean_ = mean_bytes;
  watch_.hook();
  set_sampling(mean_bytes);
  on_ = true;
  return watch_.start();
}

void NativeSampler::stop() {
  if (!on_.exchange(false)) return;
  set_sampling(0);
  LibraryWatch::stop(/*wait=*/true);
  watch_.unhook();
}

std::vector<LiveAllocations> NativeSampler::live() const {
  const Unsampled unsampled;
  using Key = std::tuple<std::uint64_t, std::vector<std::uintptr_t>, std::vector<JavaFrame>>;
  std::map<Key, std::uint64_t> samples;
  const std::vector<AllocationSample> snapshot = table_.snapshot();
  const std::vector<Mapping> mappings = parse_mappings(read_maps_text());
  for (const AllocationSample& sample : snapshot) {
    std::vector<JavaFrame> java(sample.java.begin(), sample.java.begin() + sample.java_frames);
    ++samples[{sample.bytes, native_frames(sample, mappings), std::move(java)}];
  }
  std::vector<LiveAllocations> all;
  for (const auto& [key, count] : samples) {
    const auto& [bytes, native, java] = key;
    const double each = 1 / sampling_probability(bytes, mean_);
    all.push_back({bytes, static_cast<double>(count) * each, native, java});
  }
  std::ranges::sort(all, [](const LiveAllocations& a, const LiveAllocations& b) {
    return static_cast<double>(a.bytes) * a.count > static_cast<double>(b.bytes) * b.count;
  });
  return all;
}

}  // namespace ddm
