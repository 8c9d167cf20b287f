#include "heap/heap_dump_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "jvm/jvmti_error.h"
#include "jvm/management.h"
#include "sockets/file_descriptor.h"

namespace ddm {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

// Moves a file to a name that must be free.
bool move_to_free_name(int directory, const std::string& from, const std::string& to) {
  if (renameat2(directory, from.c_str(), directory, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;  // else: not on this file system
  if (linkat(directory, from.c_str(), directory, to.c_str(), 0) != 0) return false;
  return unlinkat(directory, from.c_str(), 0) == 0;
}

Result<Bytes> read_file(const std::string& path, std::size_t max_bytes) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat facts {};
  if (!file.valid() || fstat(file.get(), &facts) != 0) return errno_error("reading the heap dump");
  const auto size = static_cast<std::size_t>(facts.st_size);
  if (size > max_bytes) {
    return Error{
        fmt::format("the heap dump has {} MiB, and {} MiB fit into a packet; HPDU, "
                    "or jcmd PID GC.heap_dump, writes it to a file",
                    size / kMiB, max_bytes / kMiB)};
  }
  Bytes bytes(size);
  for (std::size_t done = 0; done < size;) {
    const ssize_t count = ::read(file.get(), bytes.data() + done, size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno_error("reading the heap dump");
    if (count == 0) return Error{"the heap dump became shorter while it was read"};
    done += static_cast<std::size_t>(count);
  }
  return bytes;
}

}  // namespace

class HeapDumper::Unfinished {
 public:
  Unfinished(HeapDumper& dumper, std::string file, std::string directory) : dumper_(dumper) {
    const std::lock_guard lock(dumper_.mutex_);
    dumper_.unfinished_file_ = std::move(file);
    dumper_.unfinished_directory_ = std::move(directory);
  }
  ~Unfinished() { dumper_.remove_unfinished(); }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

 private:
  HeapDumper& dumper_;
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
  unlinkat(directory.get(), temporary.c_str(), 0);
  const std::string through = fmt::format("/proc/self/fd/{}/{}", directory.get(), temporary);
  const Unfinished unfinished(*this, through, "");
  std::string error = management::dump_heap(jni, through);
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

Result<Bytes> HeapDumper::read(JNIEnv* jni, std::size_t max_bytes) {
  const std::lock_guard one(one_dump_);
  if (auto too_big = refuse_big_heap(jni, max_bytes)) return std::move(*too_big);
  const char* parent = getenv("TMPDIR");
  std::string directory =
      (parent != nullptr && *parent != '\0' ? std::string(parent) : "/tmp") + "/ddmagent-XXXXXX";
  if (mkdtemp(directory.data()) == nullptr) return errno_error(directory);
  const std::string file = directory + "/heap.hprof";
  const Unfinished unfinished(*this, file, directory);
  const FileDescriptor opened(open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!opened.valid()) return errno_error(directory);
  const std::string error =
      management::dump_heap(jni, fmt::format("/proc/self/fd/{}/heap.hprof", opened.get()));
  if (!error.empty()) return Error{"heap dump: " + error};
  return read_file(file, max_bytes);
}

void HeapDumper::close() { remove_unfinished(); }

void HeapDumper::remove_unfinished() {
  const std::lock_guard lock(mutex_);
  // Nothing to be done when it fails; mostly the file is not there any more.
  if (!unfinished_file_.empty()) unlink(unfinished_file_.c_str());
  if (!unfinished_directory_.empty()) rmdir(unfinished_directory_.c_str());
  unfinished_file_.clear();
  unfinished_directory_.clear();
}

}  // namespace ddm
