#include "heap/heap_dump_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "jvm/jvmti_error.h"
#include "jvm/management.h"
#include "sockets/file_descriptor.h"

namespace ddm {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr char kStreamedFile[] = "heap.hprof";

HeapDumper* g_unfinished_at_exit = nullptr;

// Moves a file to a name that must be free.
bool move_to_free_name(int directory, const std::string& from, const std::string& to) {
  if (renameat2(directory, from.c_str(), directory, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;  // else: not on this file system
  if (linkat(directory, from.c_str(), directory, to.c_str(), 0) != 0) return false;
  return unlinkat(directory, from.c_str(), 0) == 0;
}

Result<std::shared_ptr<const StoredData>> open_stored(const std::string& path,
                                                      std::size_t max_bytes) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno_error("reading the heap dump");
  struct stat facts {};
  const int failed = fstat(fd, &facts);
  const auto size = failed != 0 ? 0 : static_cast<std::uint64_t>(facts.st_size);
  auto dump = std::make_shared<const StoredData>(fd, size);
  if (failed != 0) return errno_error("reading the heap dump");
  if (size > max_bytes) {
    return Error{
        fmt::format("the heap dump has {} MiB, and {} MiB fit into a packet; HPDU, "
                    "or jcmd PID GC.heap_dump, writes it to a file",
                    size / kMiB, max_bytes / kMiB)};
  }
  return dump;
}

}  // namespace

class HeapDumper::Unfinished {
 public:
  // `make` makes the place, under the lock: none is made once the VM ends.
  template <typename Make>
  Unfinished(HeapDumper& dumper, Make make) : dumper_(dumper) {
    const std::lock_guard lock(dumper_.mutex_);
    if (dumper_.closed_) {
      problem_ = Error{"the program ends"};
      return;
    }
    Result<Place> place = make();
    if (place) {
      dumper_.unfinished_ = std::move(*place);
    } else {
      problem_ = place.error();
    }
  }
  ~Unfinished() {
    const std::lock_guard lock(dumper_.mutex_);
    dumper_.remove_unfinished();
    dumper_.unfinished_.reset();
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

  const std::optional<Error>& problem() const { return problem_; }

 private:
  HeapDumper& dumper_;
  std::optional<Error> problem_;
};

std::optional<Error> HeapDumper::write(JNIEnv* jni, const std::string& path) {
  const std::lock_guard one(one_dump_);
  const std::size_t slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const std::string where = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (name.empty() || path.find('\0') != std::string::npos) {
    return Error{"\"" + path + "\" names no file"};
  }
  const FileDescriptor directory(open(where.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!directory.valid()) return errno_error(where);
  struct stat ignored {};
  if (fstatat(directory.get(), name.c_str(), &ignored, AT_SYMLINK_NOFOLLOW) == 0) {
    return Error{path + " exists already"};
  }
  // Through the directory's descriptor: ASCII, whatever the user's path holds.
  const std::string temporary = fmt::format(".ddmagent-{}.hprof", getpid());
  const std::string through = fmt::format("/proc/self/fd/{}", directory.get());
  const Unfinished unfinished(*this, [&]() -> Result<Place> {
    unlinkat(directory.get(), temporary.c_str(), 0);
    return Place{through, temporary};
  });
  if (unfinished.problem()) return unfinished.problem();
  std::string error = management::dump_heap(jni, through + "/" + temporary);
  if (error.empty() && !move_to_free_name(directory.get(), temporary, name)) {
    error = errno_text(errno);
  }
  if (!error.empty()) return Error{path + ": " + error};
  return std::nullopt;
}

std::optional<Error> HeapDumper::refuse_big_heap(JNIEnv* jni, std::size_t max_bytes) {
  // An object takes about as much in a dump as in the heap, or more. What is garbage may not count
  // against a dump of what is reachable, so when in doubt, collect.
  const auto used = [&] {
    const auto figures = figures_.heap(jni);
    return figures ? figures->used_bytes : 0;
  };
  const std::size_t certainly_too_much = max_bytes + max_bytes / 4;
  if (used() <= certainly_too_much) return std::nullopt;
  const jvmtiError error = jvmti_->ForceGarbageCollection();
  if (error != JVMTI_ERROR_NONE) {
    return Error{std::string("ForceGarbageCollection: ") + jvmti_error_name(error)};
  }
  const std::uint64_t bytes = used();
  if (bytes <= certainly_too_much) return std::nullopt;
  return Error{
      fmt::format("the heap has {} MiB in use, and a dump of {} MiB fits into a packet; "
                  "HPDU, or jcmd PID GC.heap_dump, writes it to a file",
                  bytes / kMiB, max_bytes / kMiB)};
}

Result<std::shared_ptr<const StoredData>> HeapDumper::store(JNIEnv* jni, std::size_t max_bytes) {
  const std::lock_guard one(one_dump_);
  if (auto too_big = refuse_big_heap(jni, max_bytes)) return std::move(*too_big);
  const char* parent = getenv("TMPDIR");
  std::string directory =
      (parent != nullptr && *parent != '\0' ? std::string(parent) : "/tmp") + "/ddmagent-XXXXXX";
  const Unfinished unfinished(*this, [&]() -> Result<Place> {
    if (mkdtemp(directory.data()) == nullptr) return errno_error(directory);
    return Place{directory, kStreamedFile, /*own_directory=*/true};
  });
  if (unfinished.problem()) return *unfinished.problem();
  const FileDescriptor opened(open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!opened.valid()) return errno_error(directory);
  const std::string error =
      management::dump_heap(jni, fmt::format("/proc/self/fd/{}/{}", opened.get(), kStreamedFile));
  if (!error.empty()) return Error{"heap dump: " + error};
  return open_stored(directory + "/" + kStreamedFile, max_bytes);
}

void HeapDumper::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  if (!unfinished_) return;
  remove_unfinished();
  // The VM is writing and may go on for a while.
  g_unfinished_at_exit = this;
  std::atexit(remove_all_at_exit);
}

void HeapDumper::remove_unfinished() const {
  if (!unfinished_) return;
  // Nothing to be done when it fails; mostly the file is not there any more.
  unlink((unfinished_->directory + "/" + unfinished_->file).c_str());
  if (unfinished_->own_directory) rmdir(unfinished_->directory.c_str());
}

void HeapDumper::remove_all_at_exit() {
  const std::unique_lock lock(g_unfinished_at_exit->mutex_, std::try_to_lock);
  if (!lock || !g_unfinished_at_exit->unfinished_) return;  // it is being removed, or has been
  const Place& place = *g_unfinished_at_exit->unfinished_;
  if (DIR* directory = opendir(place.directory.c_str())) {
    while (const dirent* entry = readdir(directory)) {
      // The file, and the pieces of it: FILE.p0, FILE.p1 and so on.
      if (std::string_view(entry->d_name).starts_with(place.file)) {
        unlinkat(dirfd(directory), entry->d_name, 0);
      }
    }
    closedir(directory);
  }
  if (place.own_directory) rmdir(place.directory.c_str());
}

}  // namespace ddm
