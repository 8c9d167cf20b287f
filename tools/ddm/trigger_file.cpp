#include "trigger_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "core/file_descriptor.h"

namespace ddm {

TriggerFile::TriggerFile(std::initializer_list<std::string> directories, const std::string& name,
                         uid_t owner, gid_t group) {
  for (const std::string& directory : directories) {
    const std::string path = directory + "/" + name;
    const FileDescriptor fd(
        open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
    const int error = errno;
    if (fd.valid()) path_ = path;
    // A JVM in a user namespace of its own accepts no file of the outer root.
    if (fd.valid() && geteuid() == 0 && fchown(fd.get(), owner, group) != 0) {
      error_ = errno_error(path);
      unlink(path.c_str());
      path_.clear();
      continue;
    }
    struct stat status {};
    if (fd.valid() || error == EEXIST) {
      if (stat(path.c_str(), &status) == 0 && (status.st_uid == owner || status.st_uid == 0)) {
        error_.reset();
        return;
      }
      error_ = Error{path + " belongs to another user; the JVM would not take it"};
      return;
    }
    error_ = Error{path + ": " + errno_text(error)};
  }
}

TriggerFile::~TriggerFile() {
  if (!path_.empty()) unlink(path_.c_str());
}

}  // namespace ddm
