// The heap dump that a target makes, piece by piece.
#pragma once

#include <functional>
#include <string_view>

#include "core/file_descriptor.h"
#include "ddm_client.h"
#include "output.h"
#include "wire/chunks/heap_dump.h"

namespace ddm {

// False from `take` ends it, with an error. Another DDM server than ours (Android's, for instance)
// knows nothing of stacks and puts the whole dump into one answer.
Result<HeapDumpMade> fetch_heap_dump(DdmClient& client, bool with_stacks, Progress& progress,
                                     const std::function<bool(std::string_view)>& take);

// The same into an unlinked file in $TMPDIR or /tmp.
Result<FileDescriptor> fetch_nameless_heap_dump(DdmClient& client, bool with_stacks,
                                                Progress& progress);

}  // namespace ddm
