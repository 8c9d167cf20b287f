// The file of file=: opened once, and every dump is appended to it. One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/file_descriptor.h"

namespace ddm {

class HprofFile {
 public:
  // A file that is there is overwritten, or left alone for one with the process's number behind
  // its name. `secret`: nobody else may read a new one, since it will hold the program's data.
  static Result<HprofFile> open(const std::string& path, bool overwrite, std::int64_t pid,
                                bool secret = false);

  const std::string& path() const { return path_; }

  // A pipe whose reader takes nothing for a second is given up.
  std::optional<Error> append(std::string_view text);
  // What another file holds from `offset` on.
  std::optional<Error> append_file(int fd, std::uint64_t offset);

 private:
  HprofFile(std::string path, FileDescriptor fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  Error problem(int error) const;

  std::string path_;
  FileDescriptor fd_;
};

}  // namespace ddm
