// The heap dump that a target makes, piece by piece.
#pragma once

#include <functional>
#include <string_view>

#include "core/file_descriptor.h"
#include "ddm_client.h"
#include "output.h"
#include "wire/chunks/heap_dump.h"

namespace ddm {

// A target may be another DDM server, which knows nothing of stacks and says all in one answer.
bool offers_heap_dump_pieces(DdmClient& client);

// False from `take` ends it, with an error.
Result<HeapDumpMade> fetch_heap_dump(DdmClient& client, bool with_stacks, Progress& progress,
                                     const std::function<bool(std::string_view)>& take);

// The same as a file that has no name and is gone with its descriptor, in $TMPDIR or /tmp.
Result<FileDescriptor> fetch_nameless_heap_dump(DdmClient& client, bool with_stacks,
                                                Progress& progress);

}  // namespace ddm
