#include "trigger_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace ddm {

TriggerFile::TriggerFile(std::initializer_list<std::string> directories, const std::string& name,
                         uid_t owner, gid_t group)
    : name_(name) {
  for (const std::string& path : directories) {
    FileDescriptor directory(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!directory.valid()) {
      error_ = errno_error(path);
      continue;
    }
    const FileDescriptor fd(openat(directory.get(), name.c_str(),
                                   O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
    const int error = errno;
    // A JVM in a user namespace of its own accepts no file of the outer root.
    if (fd.valid() && geteuid() == 0 && fchown(fd.get(), owner, group) != 0) {
      error_ = errno_error(path + "/" + name);
      unlinkat(directory.get(), name.c_str(), 0);
      continue;
    }
    struct stat status {};
    if (fd.valid() || error == EEXIST) {
      error_.reset();
      if (fstatat(directory.get(), name.c_str(), &status, 0) != 0 ||
          (status.st_uid != owner && status.st_uid != 0)) {
        error_ = Error{path + "/" + name + " belongs to another user; the JVM would not take it"};
      }
      if (fd.valid()) directory_ = std::move(directory);
      return;
    }
    error_ = Error{path + "/" + name + ": " + errno_text(error)};
  }
}

TriggerFile::~TriggerFile() {
  if (directory_.valid()) unlinkat(directory_.get(), name_.c_str(), 0);
}

}  // namespace ddm
