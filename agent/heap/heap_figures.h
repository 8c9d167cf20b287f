// The heap in a few figures: sizes as java.lang.management's MemoryMXBean and memory pools give
// them, but asked of the VM directly, and what is used as java.lang.Runtime has it. Under G1 the
// bean knows only what the last collection left, which is nothing before the first one.
//
// Threads attached to the VM. The first call loads what java.management needs, some classes. In a
// VM without that module all of heap() is Runtime's and there are no pools.
#pragma once

#include <jni.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace ddm {

struct HeapFigures {
  std::uint64_t max_bytes = 0;  // -Xmx; 0 = no limit
  std::uint64_t committed_bytes = 0;
  std::uint64_t used_bytes = 0;
  std::uint64_t init_bytes = 0;  // what the VM began with; 0 = it does not say
};

// A memory pool by what it is for. The collectors name their pools differently.
enum class PoolKind {
  kYoung,
  kSurvivor,
  kOld,  // of a heap without generations too
  kMetaspace,
  kClassSpace,
  kCode,  // in one piece, or in the three that follow
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

  // One a pool, in the VM's order.
  std::vector<PoolFigures> pools(JNIEnv* jni);

 private:
  struct Pool {
    PoolKind kind;
    jobject bean;  // global reference
  };
  struct Runtime {
    jobject object = nullptr;  // global reference
    jmethodID max = nullptr;
    jmethodID total = nullptr;
    jmethodID free = nullptr;
  };

  struct UsageFields {  // of java.lang.management.MemoryUsage
    jfieldID init = nullptr;
    jfieldID max = nullptr;
    jfieldID committed = nullptr;
    jfieldID used = nullptr;
  };

  bool find_usage_fields(JNIEnv* jni, jobject usage);
  // Takes the local reference over; null gives none.
  std::optional<HeapFigures> read_usage(JNIEnv* jni, jobject usage);
  bool find_runtime(JNIEnv* jni);
  // Without a limit it says how much there is.
  std::optional<HeapFigures> ask_runtime(JNIEnv* jni);
  void find_pools(JNIEnv* jni);

  std::mutex mutex_;
  UsageFields usage_;
  Runtime runtime_;
  bool pools_found_ = false;
  std::vector<Pool> pools_;
};

}  // namespace ddm
