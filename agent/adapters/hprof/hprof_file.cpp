#include "adapters/hprof/hprof_file.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace ddm {
namespace {

constexpr int kPatienceMs = 1000;

// O_NONBLOCK: a pipe whose reader is missing or has stopped must not block.
FileDescriptor open_file(const std::string& path, int flags, mode_t mode) {
  return FileDescriptor(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags, mode));
}

Error cannot_write(const std::string& path, int error) {
  return Error{"cannot write " + path + ": " + errno_text(error)};
}

}  // namespace

Result<HprofFile> HprofFile::open(const std::string& path, bool overwrite, std::int64_t pid,
                                  bool secret) {
  const mode_t mode = secret ? 0600 : 0666;
  std::string name = path;
  FileDescriptor fd = open_file(name, overwrite ? O_TRUNC : O_EXCL, mode);
  if (!fd.valid() && !overwrite && errno == EEXIST) {
    name += "." + std::to_string(pid);
    fd = open_file(name, O_TRUNC, mode);
  }
  if (!fd.valid()) return cannot_write(name, errno);
  return HprofFile(std::move(name), std::move(fd));
}

std::optional<Error> HprofFile::append(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd_.get(), text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (written < 0 && errno == EAGAIN) {
      pollfd polled{fd_.get(), POLLOUT, 0};
      if (::poll(&polled, 1, kPatienceMs) == 0) return cannot_write(path_, ETIMEDOUT);
    } else if (written < 0 && errno != EINTR) {
      return cannot_write(path_, errno);
    }
  }
  return std::nullopt;
}

}  // namespace ddm
