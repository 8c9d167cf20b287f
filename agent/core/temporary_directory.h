// Where files go that need not last: $TMPDIR, or /tmp.
#pragma once

#include <cstdlib>
#include <string>

namespace ddm {

inline std::string temporary_directory() {
  const char* const chosen = std::getenv("TMPDIR");
  return chosen != nullptr && *chosen != '\0' ? chosen : "/tmp";
}

}  // namespace ddm
