#include "allocations/capture/allocated_bytes.h"

#include <atomic>

#include "vm/jvmti_memory.h"
#include "vm/vm_structs.h"

namespace ddm {
namespace {

// Reads a field that its thread writes concurrently.
std::uint64_t load(std::uintptr_t address) {
  return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(address))
      .load(std::memory_order_acquire);
}

}  // namespace

std::optional<AllocatedBytes> AllocatedBytes::create(JNIEnv* jni, jobject current) {
  const auto allocated_bytes = vm_structs::offset_of("Thread", "_allocated_bytes");
  const auto tlab = vm_structs::offset_of("Thread", "_tlab");
  const auto start = vm_structs::offset_of("ThreadLocalAllocBuffer", "_start");
  const auto top = vm_structs::offset_of("ThreadLocalAllocBuffer", "_top");
  if (!allocated_bytes || !tlab || !start || !top) return std::nullopt;

  const auto threads = VmThreads::create(jni, current);
  if (!threads) return std::nullopt;
  AllocatedBytes result(*threads);
  result.layout_ = {*allocated_bytes, *tlab + *start, *tlab + *top};
  return result;
}

std::string AllocatedBytes::wrong(jvmtiEnv* jvmti, JNIEnv* jni) const {
  constexpr jsize kLengths[] = {1, 1000, 40};
  // Allocates until an array does not fit in the current TLAB, since only then the counter grows.
  // The number is limited: with the TLABs of a heap of many gigabytes that would be too much
  // garbage.
  constexpr jsize kLarge = 512 * 1024;
  constexpr int kMostLarge = 6;
  // Other agents' events may allocate in between.
  constexpr int kAttempts = 8;
  const VmThread self = current(jni);
  for (int attempt = 0;; ++attempt) {
    VmClaims claims;
    AllocatedWords before = read_allocated(claims, layout_, self);
    const AllocatedWords first = before;
    for (int i = 0; i < kMostLarge + 3; ++i) {
      const jsize length = i < 3 ? kLengths[i] : kLarge;
      const LocalRef<jbyteArray> garbage(jni, jni->NewByteArray(length));
      jlong bytes = 0;
      if (clear_exception(jni) || !garbage ||
          jvmti->GetObjectSize(garbage.get(), &bytes) != JVMTI_ERROR_NONE) {
        return "memory for an array";
      }
      const AllocatedWords after = read_allocated(claims, layout_, self);
      expect_growth(claims, before, after, static_cast<std::uint64_t>(bytes));
      before = after;
      if (i >= 3 && (after.start != first.start || after.counter != first.counter)) break;
    }
    if (claims.hold() || attempt + 1 == kAttempts) return claims.wrong();
  }
}

std::int64_t AllocatedBytes::read(VmThread thread) const {
  // When a TLAB is retired, its bytes move from (top - start) to the counter in two steps, and a
  // read in between would miss or double them: retry until nothing has changed.
  const auto word = [thread](std::int64_t offset) {
    return load(thread + static_cast<std::uintptr_t>(offset));
  };
  std::uint64_t total = 0;
  for (int attempt = 0; attempt < 100; ++attempt) {
    const AllocatedWords words{word(layout_.counter), word(layout_.start), word(layout_.top)};
    total = words.total();
    if (word(layout_.counter) == words.counter && word(layout_.start) == words.start &&
        word(layout_.top) >= words.top) {
      break;
    }
  }
  return static_cast<std::int64_t>(total);
}

}  // namespace ddm
