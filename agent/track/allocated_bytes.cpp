#include "track/allocated_bytes.h"

#include <atomic>

#include "jvm/vm_structs.h"

namespace ddm {
namespace {

// A field that its thread changes while we read it.
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
  result.allocated_bytes_ = *allocated_bytes;
  result.tlab_start_ = *tlab + *start;
  result.tlab_top_ = *tlab + *top;
  return result;
}

std::int64_t AllocatedBytes::read(VmThread thread) const {
  // When a TLAB is retired its bytes move from (top - start) to the counter in two steps. A read
  // in between would miss or double them: read again until nothing moved.
  std::uint64_t total = 0;
  for (int attempt = 0; attempt < 100; ++attempt) {
    const std::uint64_t counter = load(thread + allocated_bytes_);
    const std::uint64_t start = load(thread + tlab_start_);
    const std::uint64_t top = load(thread + tlab_top_);
    total = counter + (start != 0 && top >= start ? top - start : 0);  // 0: it has none
    if (load(thread + allocated_bytes_) == counter && load(thread + tlab_start_) == start &&
        load(thread + tlab_top_) >= top) {
      break;
    }
  }
  return static_cast<std::int64_t>(total);
}

}  // namespace ddm
