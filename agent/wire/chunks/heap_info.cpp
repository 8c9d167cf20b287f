#include "wire/chunks/heap_info.h"

#include <algorithm>

namespace ddm {

Bytes HeapInfo::encode() const {
  ByteWriter out;
  const auto clamped = [&out](std::uint64_t value) {
    out.u4(static_cast<std::uint32_t>(std::min<std::uint64_t>(value, 0x7fffffff)));
  };
  out.u4(static_cast<std::uint32_t>(heaps.size()));
  for (const Heap& heap : heaps) {
    out.u4(heap.id);
    out.u8(heap.time_ms);
    out.u1(static_cast<std::uint8_t>(heap.reason));
    clamped(heap.max_bytes);
    clamped(heap.current_bytes);
    clamped(heap.allocated_bytes);
    clamped(heap.allocated_objects);
  }
  return out.take();
}

std::optional<HeapInfo> HeapInfo::decode(ByteSpan data) {
  ByteReader in(data);
  HeapInfo info;
  for (std::uint32_t left = in.u4(); left > 0 && in.ok(); --left) {
    Heap heap;
    heap.id = in.u4();
    heap.time_ms = in.u8();
    heap.reason = static_cast<HeapInfoWhen>(in.u1());
    heap.max_bytes = in.u4();
    heap.current_bytes = in.u4();
    heap.allocated_bytes = in.u4();
    heap.allocated_objects = in.u4();
    info.heaps.push_back(heap);
  }
  if (!in.ok()) return {};
  return info;
}

}  // namespace ddm
