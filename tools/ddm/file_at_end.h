// A file that a program writes itself when it ends before its server has asked for the result.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "ddm_client.h"

namespace ddm {

class FileAtEnd {
 public:
  // `target`: a pid, otherwise there is no such file. It is beside `path`, which it is to become.
  FileAtEnd(const std::string& target, const std::string& path);

  // For the request; "": none, since the program sees another directory there, as in a container.
  const std::string& path() const { return path_; }
  // The program has refused it.
  void forget() { path_.clear(); }

  // A request has failed: whether that is because the program ends, which ends the connection, too.
  static bool connection_ends(DdmClient& client);
  // Once the connection has ended: waits until the program has, too. Whether it has left the file.
  bool await() const;

 private:
  bool is_running() const;
  bool sees_directory(const std::string& directory) const;

  pid_t pid_ = 0;
  std::uint64_t start_time_ = 0;
  std::string path_;
};

}  // namespace ddm
