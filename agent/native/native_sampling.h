// The option native=BYTES: sampled native allocations, and what NHGT tells of them.
//
// Java frames have no addresses. Each gets one from kJavaFrames on, and a line in the text of the
// mappings that names it, as if it were a library: "... [java] a.B.method(B.java:12)".
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <memory>

#include "native/malloc/native_sampler.h"
#include "wire/chunks/native_heap.h"

namespace ddm {

class NativeSampling {
 public:
  static constexpr std::uint64_t kJavaFrames = 0x4a00'0000'0000'0000;
  static constexpr std::uint64_t kJavaFrameBytes = 16;

  // Live phase, once a process. Null, with a line in the log, if it cannot be. Java frames may be
  // missing, with a line too.
  static std::unique_ptr<NativeSampling> start(jvmtiEnv* jvmti, JavaVM* vm, JNIEnv* jni,
                                               std::uint64_t mean_bytes);

  // Its run() wants a thread, unattached.
  LibraryWatch& watch() { return sampler_.watch(); }

  NativeHeap read(JNIEnv* jni);

 private:
  NativeSampling(jvmtiEnv* jvmti, NativeSampler& sampler) : jvmti_(jvmti), sampler_(sampler) {}

  jvmtiEnv* const jvmti_;
  NativeSampler& sampler_;
  bool warned_of_dropped_ = false;
};

}  // namespace ddm
