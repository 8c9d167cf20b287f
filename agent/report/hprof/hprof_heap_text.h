// hprof's text of a heap dump, made out of a binary dump.
//
//   HEAP DUMP BEGIN (N objects, N bytes) DATE
//   ROOT HEX (kind=<thread>, id=N, trace=N)
//   CLS HEX (name=a.B, trace=N)                    <tab>super<tab>HEX  <tab>static NAME<tab>HEX
//   OBJ HEX (sz=N, trace=N, class=a.B@HEX)         <tab>NAME<tab>HEX of each reference
//   ARR HEX (sz=N, trace=N, nelems=N, elem type=a.B@HEX)               <tab>[i]<tab>HEX
//   HEAP DUMP END
//
// A trace is the number that the dump gives its object, which the stream tells of (DumpStacks), or
// the empty one. The dump is read twice and never held: names and classes alone stay in memory. Whatever a damaged
// dump says, nothing is read beyond its end, and no more is allocated than it holds.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "report/report.h"

namespace ddm {

// What objects take in the heap, which a dump does not say.
struct HprofHeapSizes {
  std::uint32_t alignment = 8;
  std::uint32_t reference_bytes = 4;
  // Of classes by their internal names, "a/B"; of others the dump's own figure is shown.
  std::unordered_map<std::string, std::uint32_t> instances;
  // Where an array's elements begin, by the dump's numbers of types: 2 references, 4 to 11
  // primitives.
  std::array<std::uint32_t, 12> begin{16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16};
};

// `dump`: a file descriptor, read from the beginning with offsets. "" or what went wrong.
std::string hprof_heap_text(int dump, const HprofHeapSizes& sizes, std::int64_t written_ms,
                            const ReportSink& sink);

}  // namespace ddm
