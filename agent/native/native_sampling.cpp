#include "native/native_sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/log.h"
#include "core/own_memory.h"
#include "native/native_java_stack.h"

namespace ddm {
namespace {

// Without llround(), which would need libm at load time.
std::uint64_t rounded(double value) { return static_cast<std::uint64_t>(value + 0.5); }

}  // namespace

std::unique_ptr<NativeSampling> NativeSampling::start(jvmtiEnv* jvmti, JavaVM* vm, JNIEnv* jni,
                                                      std::uint64_t mean_bytes) {
  NativeSampler* sampler = nullptr;
  if (std::string error = NativeSampler::start(mean_bytes, read_java_stack, &sampler);
      !error.empty()) {
    log_error("native={}: {}; native allocations are not sampled", mean_bytes, error);
    return nullptr;
  }
  if (std::string error = open_java_stacks(vm, jni); !error.empty()) {
    log_warn("native={}: {}; native stacks will end where Java's frames begin", mean_bytes, error);
  }
  return std::unique_ptr<NativeSampling>(new NativeSampling(jvmti, *sampler));
}

NativeHeap NativeSampling::read(JNIEnv* jni) {
  NativeHeap heap;
  double total = 0;
  std::map<JavaFrame, std::uint64_t> java_frames;
  for (const LiveAllocations& live : sampler_.live()) {
    total += static_cast<double>(live.bytes) * live.count;
    NativeHeap::Record record{live.bytes,
                              std::max<std::uint64_t>(1, rounded(live.count)),
                              {live.native.begin(), live.native.end()}};
    for (const JavaFrame& frame : live.java) {
      const auto [known, added] =
          java_frames.emplace(frame, kJavaFrames + java_frames.size() * kJavaFrameBytes);
      record.backtrace.push_back(known->second);
    }
    heap.depth = std::max(heap.depth, static_cast<std::uint32_t>(record.backtrace.size()));
    heap.records.push_back(std::move(record));
  }
  heap.total_bytes = rounded(total);
  heap.maps = read_maps_text();
  for (const auto& [frame, address] : java_frames) {
    heap.maps += fmt::format("{:x}-{:x} r-xp 00000000 00:00 0 [java] {}\n", address,
                             address + kJavaFrameBytes, name_java_frame(jvmti_, jni, frame));
  }
  if (const std::uint64_t dropped = sampler_.dropped(); dropped > 0 && !warned_of_dropped_) {
    warned_of_dropped_ = true;
    log_warn("native=: {} samples had no room and are missing; larger BYTES take fewer", dropped);
  }
  return heap;
}

}  // namespace ddm
