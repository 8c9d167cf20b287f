#include "native/native_sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/log.h"
#include "core/own_memory.h"
#include "native/native_java_stack.h"

namespace ddm {

std::string NativeSampling::set(JNIEnv* jni, std::uint64_t mean_bytes) {
  const std::lock_guard lock(mutex_);
  if (mean_bytes == 0) {
    if (sampler_ != nullptr) sampler_->stop();
    return "";
  }
  if (sampler_ == nullptr) {
    std::string error = NativeSampler::create(read_java_stack, &sampler_);
    if (!error.empty()) return error;
    error = open_java_stacks(jvmti_, jni);
    if (!error.empty()) {
      log_error("native=: {}; native stacks will end where Java's frames begin", error);
    }
  }
  warned_of_dropped_ = false;
  ++period_;
  if (!sampler_->start(mean_bytes)) {
    log_error(
        "native=: libraries that are loaded later are not watched: no thread could be started");
  }
  return "";
}

NativeSamplingState NativeSampling::state() const {
  const std::lock_guard lock(mutex_);
  const std::uint64_t mean = sampler_ != nullptr ? sampler_->mean() : 0;
  return {mean != 0 && sampler_->on() ? mean : 0, period_, mean};
}

std::optional<NativeHeap> NativeSampling::read(JNIEnv* jni) {
  const std::lock_guard lock(mutex_);
  if (sampler_ == nullptr) return {};
  NativeHeap heap;
  double total = 0;
  std::map<JavaFrame, std::uint64_t> java_frames;
  for (const LiveAllocations& live : sampler_->live()) {
    total += static_cast<double>(live.bytes) * live.count;
    NativeHeap::Record record{live.bytes,
                              static_cast<std::uint64_t>(std::max(1LL, std::llround(live.count))),
                              {live.native.begin(), live.native.end()}};
    for (const JavaFrame& frame : live.java) {
      const auto [known, added] =
          java_frames.emplace(frame, kJavaFrames + java_frames.size() * kJavaFrameBytes);
      record.backtrace.push_back(known->second);
    }
    heap.depth = std::max(heap.depth, static_cast<std::uint32_t>(record.backtrace.size()));
    heap.records.push_back(std::move(record));
  }
  heap.total_bytes = static_cast<std::uint64_t>(std::llround(total));
  heap.maps = read_maps_text();
  for (const auto& [frame, address] : java_frames) {
    heap.maps += fmt::format("{:x}-{:x} r-xp 00000000 00:00 0 [java] {}\n", address,
                             address + kJavaFrameBytes, name_java_frame(jvmti_, jni, frame));
  }
  if (const std::uint64_t dropped = sampler_->dropped(); dropped > 0 && !warned_of_dropped_) {
    warned_of_dropped_ = true;
    log_warn("native=: {} samples had no room and are missing; larger BYTES take fewer", dropped);
  }
  return heap;
}

}  // namespace ddm
