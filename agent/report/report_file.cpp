// Writes a report file atomically. May be called by several threads, which are serialized, since
// the temporary file's name usually contains only the pid.
//
// The writer holds a lock on the temporary file, which is released when the process ends in any
// way: a temporary file without a lock is stale, and is removed.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <mutex>

#include "core/file_descriptor.h"
#include "core/random_number.h"
#include "report/report.h"

namespace ddm {
namespace {

Error problem(const std::string& path, std::string_view why) {
  return {fmt::format("cannot write {}: {}", path, why)};
}

// Opens and locks the file; -1 if it is not our own, or another process holds it or is removing it.
// A file that is created here is our own even if it belongs to another user (NFS with root_squash, a
// mount with a fixed owner), and is not locked if its file system has no locks (ENOLCK, ENOSYS).
int open_locked(const std::string& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  if (fd < 0) return -1;
  const bool created = (flags & O_CREAT) != 0;
  struct stat opened {};
  struct stat there {};
  if (::fstat(fd, &opened) == 0 && S_ISREG(opened.st_mode) &&
      (created || opened.st_uid == ::geteuid()) &&
      (::flock(fd, LOCK_EX | LOCK_NB) == 0 || (created && errno != EWOULDBLOCK)) &&
      ::lstat(path.c_str(), &there) == 0 && opened.st_ino == there.st_ino &&
      opened.st_dev == there.st_dev) {
    return fd;
  }
  ::close(fd);
  errno = EBUSY;
  return -1;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Removes temporary files of killed writers: NAME.tmp-PID without a lock.
void remove_left_behind(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string directory = path.substr(0, slash + 1);  // npos + 1 = 0
  const std::string prefix = path.substr(slash + 1) + ".tmp-";
  for (const std::string& name : names_in(directory.empty() ? "." : directory)) {
    if (!name.starts_with(prefix) || !is_number(name.substr(prefix.size()))) continue;
    const std::string left = directory + name;
    const int fd = open_locked(left, 0);
    if (fd < 0) continue;
    ::unlink(left.c_str());
    ::close(fd);
  }
}

// A new file beside `path`, which is removed unless it has taken that path's place.
class FreshFile {
 public:
  // O_EXCL: in a directory like /tmp another user could otherwise plant a symlink. The file of a
  // process with the same pid, in another container, is left alone. EBUSY: another process has
  // removed the file as stale before it was locked.
  explicit FreshFile(const std::string& path) : path_(path) {
    constexpr int kCreateTries = 10;
    std::uint64_t number = static_cast<std::uint64_t>(::getpid());
    for (int i = 0; i < kCreateTries && !file_.valid(); ++i) {
      name_ = fmt::format("{}.tmp-{}", path, number);
      file_ = FileDescriptor(open_locked(name_, O_CREAT | O_EXCL));
      if (!file_.valid() && errno != EEXIST && errno != EBUSY) break;
      number = random_number().value_or(number + 1) % kNumbers;
    }
    exists_ = file_.valid();
  }
  FreshFile(const FreshFile&) = delete;
  FreshFile& operator=(const FreshFile&) = delete;
  ~FreshFile() {
    if (exists_) ::unlink(name_.c_str());  // while it is locked
  }

  bool valid() const { return file_.valid(); }
  int write(std::string_view piece) { return write_all(file_.get(), piece); }  // 0 or errno
  // Late write errors (quota, network file systems) are reported by close(); the lock is released
  // with the last descriptor. Returns 0 or errno.
  int take_place() {
    locked_ = FileDescriptor(::fcntl(file_.get(), F_DUPFD_CLOEXEC, 0));
    if (::close(file_.release()) != 0 && errno != EINTR) return errno;  // EINTR: it is closed
    if (std::rename(name_.c_str(), path_.c_str()) != 0) return errno;
    exists_ = false;
    return 0;
  }

 private:
  static constexpr std::uint64_t kNumbers = 1'000'000'000;

  const std::string& path_;
  std::string name_;
  bool exists_ = false;
  FileDescriptor file_, locked_;
};

}  // namespace

std::optional<Error> write_report_file(const std::string& path,
                                       const std::function<bool(const ReportSink&)>& fill) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);

  struct stat target {};
  if (::stat(path.c_str(), &target) == 0 && !S_ISREG(target.st_mode)) {
    return problem(path, "it is not a regular file");
  }
  remove_left_behind(path);
  FreshFile fresh(path);
  if (!fresh.valid()) return problem(path, errno_text(errno));
  int error = 0;
  // Once a piece is missing the file has a hole, whatever later pieces a writer still offers.
  const bool whole = fill([&](std::string_view piece) {
    if (error == 0) error = fresh.write(piece);
    return error == 0;
  });
  if (error == 0 && !whole) return problem(path, "it is not whole");
  if (error == 0) error = fresh.take_place();
  if (error != 0) return problem(path, errno_text(error));
  return {};
}

std::optional<Error> write_report_file(const std::string& path, ReportFormat format,
                                       const ReportData& data) {
  if (const auto lacks = lacks_for(format, data); !lacks.empty()) {
    return problem(path, "it needs " + lacks);
  }
  return write_report_file(path, [&](const ReportSink& sink) {
    report_as(format, data, sink);
    return true;
  });
}

std::optional<Error> write_report_file(const std::string& path, std::string_view text) {
  return write_report_file(path, [&](const ReportSink& sink) { return sink(text); });
}

}  // namespace ddm
