// An owned file descriptor, and the error text for a failed system call.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"

namespace ddm {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~FileDescriptor() { reset(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  void reset();
  int release() { return std::exchange(fd_, -1); }  // the caller owns the descriptor from now on

 private:
  int fd_ = -1;
};

// An unlinked file in this directory, for this user alone. Not valid: errno says why there is none.
FileDescriptor nameless_file(const std::string& directory);

// Writes all bytes, retrying short writes. Returns 0 or errno.
int write_all(int fd, std::string_view bytes);

// All that the file has, also a file of /proc, which has no size beforehand and can fail while it is
// read (ESRCH when its process ends). The error is the text of errno, without the path.
Result<std::string> file_text(const std::string& path);

// What is in a directory, with "." and ".."; nothing where it cannot be read.
std::vector<std::string> names_in(const std::string& directory);

// "Permission denied" for EACCES; thread-safe, unlike strerror().
std::string errno_text(int error_number);

// "WHAT: <text of errno>".
Error errno_error(std::string_view what);

}  // namespace ddm
