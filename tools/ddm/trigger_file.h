// The file that makes a JVM which gets SIGQUIT listen for attach requests (attach.h).
#pragma once

#include <sys/types.h>

#include <initializer_list>
#include <optional>
#include <string>

#include "core/file_descriptor.h"
#include "core/result.h"

namespace ddm {

class TriggerFile {
 public:
  // In the first of these directories where it can be made for this owner: the JVM accepts a file of
  // its own user or of root; else it prints a thread dump.
  TriggerFile(std::initializer_list<std::string> directories, const std::string& name, uid_t owner,
              gid_t group);
  ~TriggerFile();
  TriggerFile(const TriggerFile&) = delete;
  TriggerFile& operator=(const TriggerFile&) = delete;
  const std::optional<Error>& error() const { return error_; }
  // The JVM has yet to read it.
  void leave() { directory_.reset(); }

 private:
  const std::string name_;
  FileDescriptor directory_;  // of the file that this has made: a path through a JVM ends with it
  std::optional<Error> error_;
};

}  // namespace ddm
