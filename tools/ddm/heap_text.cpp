#include "heap_text.h"

#include "report/report_words.h"

namespace ddm {
namespace {

constexpr std::uint64_t kMaxOnWire = 0x7fffffff;

}  // namespace

const HeapInfo::Heap* java_heap(const HeapInfo& info) {
  for (const HeapInfo::Heap& heap : info.heaps) {
    if (heap.id == kJavaHeap) return &heap;
  }
  return info.heaps.size() == 1 ? &info.heaps.front() : nullptr;
}

std::string heap_bytes(std::uint64_t bytes) {
  if (bytes >= kMaxOnWire) return ">= 2 GiB";
  return human_bytes(static_cast<std::int64_t>(bytes));
}

}  // namespace ddm
