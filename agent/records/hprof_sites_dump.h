// A VM's heap dump with the allocation stacks of its objects: the same dump, rewritten as it is
// read. Our TEXT, FRAME and TRACE records stand before the first object, with numbers that follow
// the VM's; each object whose stack is known has the number of its TRACE, as hprof's format has
// always had room for; the roots that stood for our own handles are left out.
//
// The dump is read twice: its end may number what its beginning refers to. Objects are handed on in
// segments of about a megabyte, larger ones as they come.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "records/dumped_objects.h"
#include "records/name_table.h"
#include "records/report.h"
#include "records/report_names.h"
#include "records/traces.h"

namespace ddm {

// The stacks of allocations, and what their frames are called.
struct DumpStacks {
  std::shared_ptr<const Traces> traces;
  bool threads_apart = false;  // each begins with a thread_frame()
  const NameTable* names = nullptr;
  std::shared_ptr<const void> names_held;
  // The dump becomes part of a stream, which tells of the stacks itself: gives the number of one,
  // with its thread_frame(). Null: they are told of in the dump.
  std::function<std::uint32_t(std::span<const Frame>, ReportNames&)> number;
};

// The objects too: what a dump with stacks is made of.
struct DumpSites {
  DumpedObjects objects;
  DumpStacks stacks;
};

struct SitesDumpResult {
  std::string problem;           // "" if all went well
  std::uint64_t with_stack = 0;  // objects
};

// `dump`: a file descriptor, read with offsets. `used`: told now and then of how much of the dump
// is not needed any more. Objects are sealed by this.
SitesDumpResult write_sites_dump(int dump, DumpSites& sites, const ReportSink& sink,
                                 const std::function<void(std::uint64_t)>& used);

}  // namespace ddm
