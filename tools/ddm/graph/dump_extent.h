// Where the objects of a file's heap dump are. A file that hprof has written may have several dumps,
// one for each signal and the one at exit, whose objects are partly the same: the last whole one
// counts. A dump is a HEAP DUMP record, or HEAP DUMP SEGMENTs up to a HEAP DUMP END: a file that was
// cut between two records lacks the latter.
#pragma once

#include <cstdint>
#include <string>

#include "core/result.h"

namespace ddm {

struct DumpExtent {
  std::uint64_t begin = 0, end = 0;  // in the file
  int dumps = 0;                     // whole ones
  bool cut_behind = false;           // another one begins behind it, or damage does
};

// Reads the heads of records only. `fd`: read by pread(). The error: it is no file of a heap dump,
// or has no whole one.
Result<DumpExtent> last_whole_dump(int fd);

// A sentence on what of the file was read; "": all of it.
std::string which_dump(const DumpExtent& extent);

}  // namespace ddm
