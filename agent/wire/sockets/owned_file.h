// Reads files that another user may have replaced.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>

namespace ddm {

// The first `most` bytes of a regular file owned by `owner`. nullopt: it is anything else, or not
// readable. Follows no symlink and never blocks.
std::optional<std::string> read_owned_file(const std::string& path, uid_t owner, std::size_t most);

}  // namespace ddm
