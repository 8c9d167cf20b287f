// Converts a binary heap dump to hprof's text.
//
//   HEAP DUMP BEGIN (N objects, N bytes) DATE
//   ROOT HEX (kind=<thread>, id=N, trace=N)
//   CLS HEX (name=a.B, trace=N)                    <tab>super<tab>HEX  <tab>static NAME<tab>HEX
//   OBJ HEX (sz=N, trace=N, class=a.B@HEX)         <tab>NAME<tab>HEX of each reference
//   ARR HEX (sz=N, trace=N, nelems=N, elem type=a.B@HEX)               <tab>[i]<tab>HEX
//   HEAP DUMP END
//
// A trace is the number that the dump gives its object, which refers to the stream (DumpStacks), or
// the empty stack's. The dump is read twice and never held in memory, except for names and classes.
// Whatever a damaged dump says, nothing is read beyond its end, and no more is allocated than it
// contains.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "report/report.h"

namespace ddm {

// Sizes of objects in the heap, which a dump does not contain.
struct HprofHeapSizes {
  std::uint32_t alignment = 8;
  std::uint32_t reference_bytes = 4;
  // Instance sizes by internal class name, "a/B"; for others the dump's own figure is used.
  std::unordered_map<std::string, std::uint32_t> instances;
  // Offsets of array elements by the dump's type codes: 2 references, 4 to 11 primitives.
  std::array<std::uint32_t, 12> begin{16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16};
};

// `dump`: a file descriptor, read with explicit offsets. "" or the error.
std::string hprof_heap_text(int dump, const HprofHeapSizes& sizes, std::int64_t written_ms,
                            const ReportSink& sink);

}  // namespace ddm
