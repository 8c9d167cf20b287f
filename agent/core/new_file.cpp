#include "core/new_file.h"

#include <unistd.h>

#include "core/file_descriptor.h"

namespace ddm {

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string new_file_obstacle(const std::string& path) {
  if (!path.starts_with('/')) return "an absolute path is needed, not '" + path + "'";
  if (access(path.c_str(), F_OK) == 0) return path + " is there already";
  if (access(directory_of(path).c_str(), W_OK | X_OK) == 0) return "";
  return errno_error("cannot write " + path).message;
}

}  // namespace ddm
