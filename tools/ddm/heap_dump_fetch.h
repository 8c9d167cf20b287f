// Heap dumps: that of a target, fetched piece by piece, or one in a file.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/file_descriptor.h"
#include "ddm_client.h"
#include "output.h"
#include "wire/chunks/heap_dump.h"

namespace ddm {

// The transfer ends with an error when `sink` returns false. A target without this agent (such as
// an Android VM) has no stacks and sends the whole dump in one answer.
Result<HeapDumpMade> fetch_heap_dump(DdmClient& client, bool with_stacks, Progress& progress,
                                     const std::function<bool(std::string_view)>& sink);

// The same into an unlinked file in $TMPDIR or /tmp.
Result<FileDescriptor> fetch_nameless_heap_dump(DdmClient& client, bool with_stacks,
                                                Progress& progress);

// Opens one in a file. A packed one (gzip, as `jcmd PID GC.heap_dump -gz=1` writes it) is unpacked
// into an unlinked file, too. `progress`: called from time to time with the bytes unpacked.
Result<FileDescriptor> open_dump_file(const std::string& path,
                                      const std::function<void(std::uint64_t)>& progress);

}  // namespace ddm
