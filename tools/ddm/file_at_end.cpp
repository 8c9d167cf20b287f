#include "file_at_end.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "containers/inside.h"
#include "core/random_number.h"
#include "interrupt.h"
#include "text_pieces.h"
#include "wire/sockets/discovery.h"

namespace ddm {
namespace {

constexpr std::chrono::seconds kLimit{60};
// The time from the refusal of an agent whose VM ends to the end of the connection.
constexpr double kClosingSeconds = 2;
constexpr std::string_view kNameBegins = ".ddm-";  // and a number in hexadecimal digits
constexpr std::time_t kOldSeconds = 24 * 3600;

std::string path_of_open(const FileDescriptor& file) {
  return fmt::format("/proc/self/fd/{}", file.get());
}

bool is_same_file(const std::string& path, const FileDescriptor& file) {
  struct stat one {
  }, other{};
  return stat(path.c_str(), &one) == 0 && fstat(file.get(), &other) == 0 &&
         one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

bool is_file_at_end(std::string_view name) {
  if (!name.starts_with(kNameBegins)) return false;
  const std::size_t end = name.find_first_not_of("0123456789abcdef", kNameBegins.size());
  return end != std::string_view::npos && end > kNameBegins.size() && name[end] == '-';
}

}  // namespace

FileAtEnd::FileAtEnd(const DdmClient& client, const std::string& path)
    : process_(client.process()),
      owner_(process_owner(process_.pid())),
      id_(fmt::format("{}{:x}-", kNameBegins,
                      random_number().value_or(static_cast<std::uint64_t>(getpid())))) {
  std::error_code wrong;
  const std::filesystem::path whole = std::filesystem::absolute(path, wrong);
  name_ = id_ + whole.filename().string();
  places_ = {whole.parent_path(), "/tmp", "/dev/shm", "/var/tmp"};
  if (process_.pid() == 0) {
    forget("its process is not known here");
  } else {
    take_next_place();
  }
}

void FileAtEnd::take_next_place() {
  path_.clear();
  while (path_.empty() && next_ < places_.size()) {
    const std::string& directory = places_[next_];
    if (open_place(directory, next_++ == 0)) {
      path_ = (directory == "/" ? "" : directory) + "/" + name_;
      remove_old_files();
    }
  }
  if (path_.empty())
    lacking_ = "there is no directory that the program can write to and ddm reaches";
}

// `beside`: only if it is the same one for ddm.
bool FileAtEnd::open_place(const std::string& directory, bool beside) {
  if (beside) {
    directory_ = FileDescriptor(open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    here_ = is_same_file(fmt::format("/proc/{}/root{}", process_.pid(), directory), directory_);
    return here_;
  }
  auto opened = open_inside(process_.pid(), directory, O_PATH | O_DIRECTORY);
  if (!opened) return false;
  directory_ = std::move(*opened);
  here_ = is_same_file(directory, directory_);
  return true;
}

// Those of commands that were killed just when their program ended.
void FileAtEnd::remove_old_files() const {
  for (const std::string& name : names_in(path_of_open(directory_))) {
    struct stat facts {};
    if (is_file_at_end(name) &&
        fstatat(directory_.get(), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(facts.st_mode) && facts.st_uid == owner_ &&
        facts.st_mtime < std::time(nullptr) - kOldSeconds) {
      unlinkat(directory_.get(), name.c_str(), 0);
    }
  }
}

bool FileAtEnd::refused(const Error& error) {
  if (path_.empty() || error.message.find(id_) == std::string::npos) return false;
  take_next_place();
  return true;
}

void FileAtEnd::forget(const std::string& why) {
  path_.clear();
  lacking_ = why;
}

bool FileAtEnd::connection_ends(DdmClient& client) {
  return client.idle(kClosingSeconds, [] { return false; }).has_value();
}

bool FileAtEnd::await() const {
  if (path_.empty()) return false;
  process_.ends_within(kLimit);
  return faccessat(directory_.get(), name_.c_str(), F_OK, 0) == 0;
}

std::string FileAtEnd::interruption() const {
  if (!interrupted() || path_.empty() || program_has_ended()) return "";
  return "interrupted; if the program still writes it, it is in " + place() +
         "; take it within a day";
}

std::optional<Error> FileAtEnd::read(const std::function<bool(std::string_view)>& use) const {
  const FileDescriptor file(
      openat(directory_.get(), name_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat facts {};
  if (!file.valid() || fstat(file.get(), &facts) != 0) return errno_error(place());
  // The program's user may have put or renamed another file there, which only root can read.
  const bool of_root = facts.st_uid == 0 && owner_ != uid_t{0};
  if (!S_ISREG(facts.st_mode) || facts.st_nlink != 1 || of_root) {
    return Error{place() + " is not the file that the program was to write"};
  }
  return read_pieces(path_of_open(file), use);
}

void FileAtEnd::remove() const { unlinkat(directory_.get(), name_.c_str(), 0); }

std::string FileAtEnd::place() const { return here_ ? path_ : path_ + ", as the program has it"; }

}  // namespace ddm
