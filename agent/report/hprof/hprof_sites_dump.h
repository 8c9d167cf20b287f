// A VM's heap dump with the allocation stacks of its objects: the same dump, rewritten as it is
// read. Our TEXT, FRAME and TRACE records stand before the first object, with numbers that follow
// the VM's; each object whose stack is known has the number of its TRACE, as hprof's format has
// always had room for; the roots that stood for our own handles are left out.
//
// AHAT, a reader that shows stacks, takes it for granted that each class is told of once, before the
// first object, and has a CLASS DUMP. VMs tell of classes that have none (what is not linked yet),
// and 17 tells of array classes twice; and a stack may name a class that is unloaded by now. So what
// is told of twice is left out, and what has no CLASS DUMP gets an empty one.
//
// The dump is read twice: its end may number what its beginning refers to. Objects are handed on in
// segments of about a megabyte, larger ones as they come.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "report/hprof/dumped_objects.h"
#include "report/hprof/hprof_binary.h"
#include "report/report.h"
#include "report/report_names.h"
#include "stack/names/name_table.h"
#include "stack/tree/call_tree.h"

namespace ddm {

// The stacks of allocations, and what their frames are called.
struct DumpStacks {
  std::shared_ptr<const CallTree> traces;
  bool threads_apart = false;  // each begins with a thread_frame()
  const NameTable* names = nullptr;
  std::shared_ptr<const void> names_held;
  // The dump becomes part of a stream: gives the number that a stack, with its thread_frame(), has
  // there. Null: the dump is alone.
  std::function<std::uint32_t(std::span<const Frame>, ReportNames&)> number;
  // Where number() tells of stacks, if the stream is binary: they go into the dump like those of one
  // that is alone. `introduce` tells of what else the stream will name behind the dump.
  HprofBinary* stream = nullptr;
  std::function<void()> introduce;
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
