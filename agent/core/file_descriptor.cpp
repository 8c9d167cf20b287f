#include "core/file_descriptor.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace ddm {

void FileDescriptor::reset() {
  // close() is not retried on EINTR: Linux has released the descriptor by then.
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
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
  constexpr std::size_t kStep = 64 * 1024;
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return Error{errno_text(errno)};
  std::string text;
  for (;;) {
    const std::size_t size = text.size();
    text.resize(size + kStep);
    const ssize_t got = ::read(file.get(), text.data() + size, kStep);
    const int error_number = errno;
    text.resize(size + static_cast<std::size_t>(got > 0 ? got : 0));
    if (got == 0) return text;
    if (got < 0 && error_number != EINTR) return Error{errno_text(error_number)};
  }
}

std::string errno_text(int error_number) { return std::generic_category().message(error_number); }

Error errno_error(std::string_view what) {
  const int error_number = errno;
  return {std::string(what) + ": " + errno_text(error_number)};
}

}  // namespace ddm
