// Sampled native allocations (native=BYTES, NHGE), and the data that NHGT sends about them.
//
// Java frames have no addresses. Each is assigned one from kJavaFrames on, and a line in the text of
// the mappings that names it like a library: "... [java] a.B.method(B.java:12)".
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "native/malloc/native_sampler.h"
#include "wire/chunks/native_heap.h"

namespace ddm {

class NativeSampling {
 public:
  static constexpr std::uint64_t kJavaFrames = 0x4a00'0000'0000'0000;
  static constexpr std::uint64_t kJavaFrameBytes = 16;

  explicit NativeSampling(jvmtiEnv* jvmti) : jvmti_(jvmti) {}

  // Restarts sampling with this mean; 0: ends it. "" or the error. Live phase, any attached thread.
  // Java frames may be missing, which is logged.
  std::string set(JNIEnv* jni, std::uint64_t mean_bytes);
  NativeSamplingState state() const;
  // The samples since the last start. nullopt: it was never on.
  std::optional<NativeHeap> read(JNIEnv* jni);

 private:
  jvmtiEnv* const jvmti_;
  mutable std::mutex mutex_;          // of what follows
  NativeSampler* sampler_ = nullptr;  // from the first start on; never destroyed
  std::uint32_t period_ = 0;
  bool warned_of_dropped_ = false;
};

}  // namespace ddm
