#include "core/file_descriptor.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <system_error>

namespace ddm {

void FileDescriptor::reset() {
  // close() is not retried on EINTR: Linux has released the descriptor by then.
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

FileDescriptor nameless_file(const std::string& directory) {
  FileDescriptor file(open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  // NFS and older overlayfs have no O_TMPFILE.
  if (file.valid() || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)) return file;
  std::string path = directory + "/ddmagent-XXXXXX";
  file = FileDescriptor(mkostemp(path.data(), O_CLOEXEC));
  if (file.valid()) unlink(path.c_str());
  return file;
}

int write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

Result<std::string> file_text(const std::string& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return Error{errno_text(errno)};
  std::string text;
  std::array<char, 8192> part;  // most files of /proc at once
  for (;;) {
    const ssize_t got = ::read(file.get(), part.data(), part.size());
    if (got == 0) return text;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error{errno_text(errno)};
    text.append(part.data(), static_cast<std::size_t>(got));
  }
}

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(opendir(directory.c_str()), closedir);
  if (!stream) return names;
  while (const dirent* entry = readdir(stream.get())) names.emplace_back(entry->d_name);
  return names;
}

std::string errno_text(int error_number) { return std::generic_category().message(error_number); }

Error errno_error(std::string_view what) {
  const int error_number = errno;
  return {std::string(what) + ": " + errno_text(error_number)};
}

}  // namespace ddm
