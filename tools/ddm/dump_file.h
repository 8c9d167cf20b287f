// Opens a heap dump in a file. A packed one (gzip, as `jcmd PID GC.heap_dump -gz=1` writes it) is
// unpacked into an unlinked file in $TMPDIR or /tmp.
#pragma once

#include <functional>
#include <string>

#include "core/file_descriptor.h"

namespace ddm {

// `progress`: called from time to time with the bytes unpacked.
Result<FileDescriptor> open_dump_file(const std::string& path,
                                      const std::function<void(std::uint64_t)>& progress);

// The unlinked file itself: only this user can read it, for a dump has every password of a program.
Result<FileDescriptor> nameless_dump_file();

}  // namespace ddm
