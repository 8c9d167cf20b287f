// Files that another user may have laid where one of ours is expected.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>

namespace ddm {

// What stands in a regular file of `owner`, `most` bytes of it. None: anything else is there, or it
// cannot be read. No link is followed, and nothing is waited for.
std::optional<std::string> read_owned_file(const std::string& path, uid_t owner, std::size_t most);

}  // namespace ddm
