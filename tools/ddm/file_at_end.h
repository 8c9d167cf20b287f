// A file that a program writes itself when it ends before its server has asked for the result.
//
// It is in a directory that both have: beside the result's path or, if the program has another
// directory there (a container) or may not write to it, in a temporary one of the program's. The
// open directory outlives the container.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/file_descriptor.h"
#include "ddm_client.h"
#include "target_process.h"

namespace ddm {

class FileAtEnd {
 public:
  // `client`: of the program; if its process is not known, there is no file.
  FileAtEnd(const DdmClient& client, const std::string& path);

  // For the request: as the program sees it. "": none, for the reason that lacking() has.
  const std::string& path() const { return path_; }
  const std::string& lacking() const { return lacking_; }
  // Whether the request has failed because of this path. Then there is another one, or none.
  bool refused(const Error& error);
  void forget(const std::string& why);

  // A request has failed: whether that is because the program ends, which ends the connection, too.
  static bool connection_ends(DdmClient& client);
  // Once the connection has ended: waits until the program has, too. Whether it has left the file.
  bool await() const;
  bool program_has_ended() const { return process_.has_ended(); }
  // What there is to say if an interrupt ended the wait before the program has ended. "": nothing.
  std::string interruption() const;

  // Until `use` returns false. The error: it cannot be read.
  std::optional<Error> read(const std::function<bool(std::string_view)>& use) const;
  void remove() const;
  // For people.
  std::string place() const;

 private:
  void take_next_place();
  bool open_place(const std::string& directory, bool beside);
  void remove_old_files() const;

  const TargetProcess process_;
  const std::optional<uid_t> owner_;
  std::string id_, name_;
  std::vector<std::string> places_;
  std::size_t next_ = 0;
  FileDescriptor directory_;
  bool here_ = false;  // the directory has this path for ddm, too
  std::string path_, lacking_;
};

}  // namespace ddm
