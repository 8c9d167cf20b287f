#include "wire/sockets/owned_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file_descriptor.h"

namespace ddm {

std::optional<std::string> read_owned_file(const std::string& path, uid_t owner, std::size_t most) {
  const FileDescriptor fd(
      open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (!fd.valid() || fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_uid != owner) {
    return {};
  }
  std::string text(most, '\0');
  const ssize_t size = read(fd.get(), text.data(), text.size());
  if (size < 0) return {};
  text.resize(static_cast<std::size_t>(size));
  return text;
}

}  // namespace ddm
