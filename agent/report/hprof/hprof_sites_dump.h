// Adds allocation stacks to a VM's heap dump: the same dump, rewritten while it is read. The added
// TEXT, FRAME and TRACE records precede the first object, with numbers above the VM's; each object
// with a known stack gets the number of its TRACE in the field that hprof's format provides; the
// roots for the agent's own handles are removed.
//
// AHAT, a reader that shows stacks, expects each class to be defined once, before the first object,
// and to have a CLASS DUMP. VMs define classes without one (not linked yet), 17 defines array
// classes twice, and a stack may refer to a class that is unloaded. Therefore duplicate definitions
// are removed, and missing CLASS DUMPs are added, empty.
//
// The dump is read twice, since its beginning may refer to numbers at its end. Objects are written
// in segments of about a megabyte; larger ones are passed through.
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

// The allocation stacks, and the names of their frames.
struct DumpStacks {
  std::shared_ptr<const CallTree> traces;
  bool per_thread_sites = false;  // each begins with a thread_frame()
  const NameTable* names = nullptr;
  std::shared_ptr<const void> names_held;
  // If the dump becomes part of a stream: returns a stack's number there, thread_frame() included.
  // Null: the dump is a file of its own.
  std::function<std::uint32_t(std::span<const Frame>, ReportNames&)> number;
  // The stream that number() writes to, if it is binary: its records are inserted in the dump, which
  // has no header then.
  // `introduce` writes what the stream will refer to after the dump.
  HprofBinary* stream = nullptr;
  std::function<void()> introduce;
};

// The input for a dump with stacks.
struct DumpSites {
  DumpedObjects objects;
  DumpStacks stacks;
};

struct SitesDumpResult {
  std::string problem;           // "" if all went well
  std::uint64_t with_stack = 0;  // objects
};

// `dump`: a file descriptor, read with explicit offsets. `used`: called now and then with the
// offset up to which the dump is no longer needed. Seals the objects.
SitesDumpResult write_sites_dump(int dump, DumpSites& sites, const ReportSink& sink,
                                 const std::function<void(std::uint64_t)>& used);

}  // namespace ddm
