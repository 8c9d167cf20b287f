// Figures of the heap: sizes as of java.lang.management's MemoryMXBean and memory pools, but read
// from the VM directly, and used bytes as of java.lang.Runtime. Under G1 the bean's used bytes are
// those after the last collection, and 0 before the first one.
//
// Attached threads. The first call loads some classes of java.management. In a VM without that
// module heap() has Runtime's figures, and there are no pools.
#pragma once

#include <jni.h>

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace ddm {

struct HeapFigures {
  std::uint64_t max_bytes = 0;  // -Xmx; 0 = no limit
  std::uint64_t committed_bytes = 0;
  std::uint64_t used_bytes = 0;
  std::uint64_t init_bytes = 0;  // the initial size; 0 = unknown
};

// A memory pool by its purpose; each collector has names of its own.
enum class PoolKind {
  kYoung,
  kSurvivor,
  kOld,  // also a heap without generations
  kMetaspace,
  kClassSpace,
  kCode,  // not segmented; otherwise the three that follow
  kCodeOfVm,
  kCodeProfiled,
  kCodeNotProfiled,
};

struct PoolFigures {
  PoolKind kind;
  HeapFigures figures;
};

class HeapFiguresReader {
 public:
  std::optional<HeapFigures> heap(JNIEnv* jni);

  // One per pool, in the VM's order.
  std::vector<PoolFigures> pools(JNIEnv* jni);

 private:
  struct Pool {
    PoolKind kind;
    jobject bean;  // global reference
  };
  bool find_usage_fields(JNIEnv* jni, jobject usage);
  // Deletes the local reference. nullopt if that is null.
  std::optional<HeapFigures> read_usage(JNIEnv* jni, jobject usage);
  void find_pools(JNIEnv* jni);

  std::mutex mutex_;
  std::array<jfieldID, 4> usage_{};  // of MemoryUsage, in the order of HeapFigures
  bool pools_found_ = false;
  std::vector<Pool> pools_;
};

}  // namespace ddm
