// The file of file=, opened once; every dump is appended. One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/file_descriptor.h"

namespace ddm {

class HprofFile {
 public:
  // An existing file is overwritten, or kept, and the new one gets the process id as a suffix.
  // `secret`: a new file is readable by its owner only, since it will hold the program's data.
  static Result<HprofFile> open(const std::string& path, bool overwrite, std::int64_t pid,
                                bool secret = false);

  const std::string& path() const { return path_; }

  // A pipe whose reader accepts nothing for a second is abandoned.
  std::optional<Error> append(std::string_view text);

 private:
  HprofFile(std::string path, FileDescriptor fd) : path_(std::move(path)), fd_(std::move(fd)) {}

  std::string path_;
  FileDescriptor fd_;
};

}  // namespace ddm
