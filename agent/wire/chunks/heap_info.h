// HPIF and HPUS, the heap's key figures.
#pragma once

#include "wire/chunks/special_fields.h"

namespace ddm {

// The id of the whole Java heap, in HPIF and in the brackets of its maps.
inline constexpr std::uint32_t kJavaHeap = 1;

enum class HeapInfoWhen : std::uint8_t { kNever = 0, kNow = 1, kNextGc = 2, kEveryGc = 3 };

// HPIF, request.   u1 when
struct HeapInfoRequest {
  static constexpr ChunkType kType = chunk_type("HPIF");
  HeapInfoWhen when = HeapInfoWhen::kNow;
  static constexpr auto kFields = std::tuple(UpTo{&HeapInfoRequest::when, HeapInfoWhen::kEveryGc});
};

// HPIF, reply and event.
//
//   u4 heaps, each { u4 id, u8 ms since the epoch, u1 reason, u4 max bytes, u4 current bytes,
//                    u4 allocated bytes, u4 allocated objects }
//
// Real servers read the last four as signed numbers, so values are capped at 2^31 - 1.
struct HeapInfo {
  static constexpr ChunkType kType = chunk_type("HPIF");
  struct Heap {
    std::uint32_t id = 1;
    std::uint64_t time_ms = 0;
    HeapInfoWhen reason = HeapInfoWhen::kNow;
    std::uint64_t max_bytes = 0;
    std::uint64_t current_bytes = 0;
    std::uint64_t allocated_bytes = 0;
    std::uint64_t allocated_objects = 0;
    static constexpr auto kFields =
        std::tuple(&Heap::id, &Heap::time_ms, &Heap::reason, Capped{&Heap::max_bytes},
                   Capped{&Heap::current_bytes}, Capped{&Heap::allocated_bytes},
                   Capped{&Heap::allocated_objects});
  };
  std::vector<Heap> heaps;
  static constexpr auto kFields = std::tuple(&HeapInfo::heaps);
};

// HPUS, a DDM extension: the heap's uncapped figures, and all collections since the VM's start. The
// request has no data.
//
//   u8 max bytes (0: no limit), u8 committed bytes, u8 used bytes
//   u4 collectors, each { str name, u8 collections, u8 ms }
struct HeapUsage {
  static constexpr ChunkType kType = chunk_type("HPUS");
  struct Collector {
    std::string name;  // "G1 Young Generation"
    std::uint64_t collections = 0;
    std::uint64_t millis = 0;
    static constexpr auto kFields =
        std::tuple(&Collector::name, &Collector::collections, &Collector::millis);
  };
  std::uint64_t max_bytes = 0;
  std::uint64_t committed_bytes = 0;
  std::uint64_t used_bytes = 0;
  std::vector<Collector> collectors;
  static constexpr auto kFields = std::tuple(&HeapUsage::max_bytes, &HeapUsage::committed_bytes,
                                             &HeapUsage::used_bytes, &HeapUsage::collectors);
};
inline constexpr std::string_view kHeapUsageFeature = "heap-usage";  // in FEAT

}  // namespace ddm
