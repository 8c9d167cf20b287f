#include "heap/heap_dump_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string_view>

#include "core/clocks.h"
#include "core/file_descriptor.h"
#include "core/random_number.h"
#include "core/temporary_directory.h"
#include "vm/jvmti_error.h"
#include "vm/jvmti_memory.h"
#include "vm/management.h"
#include "vm/vm_flags.h"

namespace ddm {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr char kDumpFile[] = "heap.hprof";
constexpr std::string_view kDumpPrefix = ".ddmagent-";  // of the directories of unfinished dumps

// Dumps unfinished at the VM's death, as a list.
std::mutex g_unfinished_mutex;
HeapDumper* g_unfinished_at_exit = nullptr;

// Of this kernel, since it was started: only among its processes does a lock of a directory tell
// (NFS and other shared file systems lock directories on each machine for itself). "": unknown.
std::string prefix_here() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  if (!std::getline(file, id) || id.size() < 8) return "";
  return std::string(kDumpPrefix) + id.substr(0, 8) + "-";
}

// Unique in the directory, which processes of other PID namespaces may share (containers, where
// each program is process 1).
std::string temporary_name() {
  const auto now = static_cast<std::uint64_t>(monotonic_ns());
  const std::string prefix = prefix_here();
  return fmt::format("{}{}-{:016x}", prefix.empty() ? kDumpPrefix : prefix, getpid(),
                     random_number().value_or(now));
}

std::string descriptor_path(int directory) { return fmt::format("/proc/self/fd/{}", directory); }

bool lock_directory(const FileDescriptor& directory, int how) {
  int failed = 0;
  do {
    failed = flock(directory.get(), how);
  } while (failed != 0 && errno == EINTR);
  return failed == 0;
}

// In `above`, locked until it is closed (not where the file system has no locks).
Result<FileDescriptor> make_locked_directory(int above, const std::string& name) {
  if (mkdirat(above, name.c_str(), S_IRWXU) != 0) return Error{errno_text(errno)};
  FileDescriptor made(openat(above, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!made.valid()) {
    const int error = errno;
    unlinkat(above, name.c_str(), AT_REMOVEDIR);
    return Error{errno_text(error)};
  }
  // Another dump may be looking at it, which removes no empty one.
  if (!lock_directory(made, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
    unlinkat(above, name.c_str(), AT_REMOVEDIR);
    return Error{"another program looks at its temporary directory; try again"};
  }
  return made;
}

// The dump and its parts (FILE.p0, FILE.p1 and so on).
std::vector<std::string> dumps_in(const std::string& directory) {
  std::vector<std::string> names = names_in(directory);
  std::erase_if(names, [](const std::string& name) { return !name.starts_with(kDumpFile); });
  return names;
}

// Failures are ignored; mostly the file no longer exists.
void remove_dump(const std::string& directory) {
  for (const std::string& name : dumps_in(directory)) unlink((directory + "/" + name).c_str());
  rmdir(directory.c_str());
}

// What killed programs of this user have left since the machine was started: directories that
// nobody has locked. An empty one may be a program's that is about to lock it.
void remove_left_dumps(const std::string& above) {
  const std::string prefix = prefix_here();
  if (prefix.empty()) return;
  for (const std::string& name : names_in(above)) {
    if (!name.starts_with(prefix)) continue;
    const std::string path = above + "/" + name;
    const FileDescriptor directory(
        open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat facts {};
    if (directory.valid() && fstat(directory.get(), &facts) == 0 && facts.st_uid == geteuid() &&
        lock_directory(directory, LOCK_EX | LOCK_NB) && !dumps_in(path).empty()) {
      remove_dump(path);
    }
  }
}

// Renames a file; the new name must be free.
bool move_to_free_name(int directory, const std::string& from, const std::string& to) {
  if (renameat2(directory, from.c_str(), directory, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS)
    return false;  // otherwise: not supported by this file system
  if (linkat(directory, from.c_str(), directory, to.c_str(), 0) != 0) return false;
  return unlinkat(directory, from.c_str(), 0) == 0;
}

Result<std::shared_ptr<const StoredData>> open_stored(const std::string& path) {
  FileDescriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat facts {};
  if (!fd.valid() || fstat(fd.get(), &facts) != 0) return errno_error("reading the heap dump");
  return std::make_shared<const StoredData>(std::move(fd),
                                            static_cast<std::uint64_t>(facts.st_size));
}

// Owns the strong handles of a dump.
class GlobalHandles {
 public:
  GlobalHandles(JNIEnv* jni, const std::optional<DumpSites>& sites) : jni_(jni), sites_(sites) {}
  ~GlobalHandles() {
    if (!sites_) return;
    sites_->objects.for_each_handle([this](std::uint64_t handle) {
      jni_->DeleteGlobalRef(reinterpret_cast<jobject>(static_cast<std::uintptr_t>(handle)));
    });
  }
  GlobalHandles(const GlobalHandles&) = delete;
  GlobalHandles& operator=(const GlobalHandles&) = delete;

 private:
  JNIEnv* const jni_;
  const std::optional<DumpSites>& sites_;
};

}  // namespace

class HeapDumper::Unfinished {
 public:
  // Not once the VM ends.
  Unfinished(HeapDumper& dumper, const Target& target) : dumper_(dumper) {
    remove_left_dumps(target.through());
    const std::lock_guard lock(dumper_.mutex_);
    if (dumper_.closed_) {
      problem_ = Error{"the program ends"};
      return;
    }
    auto made = make_locked_directory(target.directory.get(), target.temporary);
    if (made) {
      dumper_.unfinished_ = Place{target.through() + "/" + target.temporary, std::move(*made)};
    } else {
      problem_ = Error{target.path + ": " + made.message()};
    }
  }
  ~Unfinished() {
    const std::lock_guard lock(dumper_.mutex_);
    dumper_.remove_unfinished();
    dumper_.unfinished_.reset();
    dumper_.writing_ = false;
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

  const std::optional<Error>& problem() const { return problem_; }

 private:
  HeapDumper& dumper_;
  std::optional<Error> problem_;
};

std::string HeapDumper::Target::through() const { return descriptor_path(directory.get()); }

std::string HeapDumper::Target::temporary_file() const { return temporary + "/" + kDumpFile; }

Result<HeapDumper::Target> HeapDumper::target_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  Target target;
  target.path = path;
  target.name = slash == std::string::npos ? path : path.substr(slash + 1);
  const std::string where = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (target.name.empty() || path.find('\0') != std::string::npos) {
    return Error{"\"" + path + "\" names no file"};
  }
  target.directory = FileDescriptor(open(where.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!target.directory.valid()) return errno_error(where);
  target.temporary = temporary_name();
  return target;
}

std::optional<Error> HeapDumper::prepare(JNIEnv* jni, const std::string& path) {
  auto target = target_of(path);
  if (!target) return target.error();
  const LocalRef<jstring> text(jni, jni->NewStringUTF(target->temporary_path().c_str()));
  if (clear_exception(jni) || !text) return Error{"no memory for the path"};
  target->java_path = static_cast<jstring>(jni->NewGlobalRef(text.get()));
  const std::lock_guard one(one_dump_);
  prepared_.push_back(std::move(*target));
  return std::nullopt;
}

void HeapDumper::forget_prepared(JNIEnv* jni) {
  const std::lock_guard one(one_dump_);
  for (const Target& target : prepared_) jni->DeleteGlobalRef(target.java_path);
  prepared_.clear();
}

Result<std::uint64_t> HeapDumper::write(JNIEnv* jni, const std::string& path,
                                        const HoldObjects& hold, Existing existing,
                                        const std::function<void()>& dumped) {
  const std::lock_guard one(one_dump_);
  for (const Target& target : prepared_) {
    if (target.path == path) return write_to(jni, target, hold, existing, dumped);
  }
  const auto target = target_of(path);
  if (!target) return target.error();
  return write_to(jni, *target, hold, existing, dumped);
}

Result<std::uint64_t> HeapDumper::write_to(JNIEnv* jni, const Target& target,
                                           const HoldObjects& hold, Existing existing,
                                           const std::function<void()>& dumped) {
  const int directory = target.directory.get();
  struct stat there {};
  if (fstatat(directory, target.name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0) {
    if (existing == Existing::kKept) return Error{target.path + " exists already"};
    if (!S_ISREG(there.st_mode)) return Error{target.path + " is not a regular file"};
  }
  const Unfinished unfinished(*this, target);
  if (unfinished.problem()) return *unfinished.problem();
  const auto failed = [&](const std::string& why) { return Error{target.path + ": " + why}; };
  auto sites = dump(jni, target.temporary_path(), target.java_path, hold);
  if (!sites) return failed(sites.message());
  if (dumped) dumped();
  std::uint64_t with_stack = 0;
  if (*sites) {
    const auto rewritten = rewrite(target.temporary_path(), **sites);
    if (!rewritten) return failed(rewritten.message());
    with_stack = *rewritten;
  }
  const bool moved = existing == Existing::kKept
                         ? move_to_free_name(directory, target.temporary_file(), target.name)
                         : renameat(directory, target.temporary_file().c_str(), directory,
                                    target.name.c_str()) == 0;
  if (!moved) return failed(errno_text(errno));
  return with_stack;
}

Result<std::optional<DumpSites>> HeapDumper::dump(JNIEnv* jni, const std::string& path,
                                                  jstring java_path, const HoldObjects& hold) {
  std::optional<DumpSites> sites;
  writing_ = false;
  if (hold && collects_) {
    if (const jvmtiError error = jvmti_->ForceGarbageCollection(); error != JVMTI_ERROR_NONE) {
      return Error{std::string("ForceGarbageCollection: ") + jvmti_error_name(error)};
    }
  }
  writing_ = true;
  if (hold) sites = hold(jni);
  std::string error;
  {
    const GlobalHandles handles(jni, sites);
    vm_writes_ = true;
    error = management::dump_heap(jni, path, java_path, collects_);
    vm_writes_ = false;
  }
  if (!error.empty()) return Error{error};
  return sites;
}

Result<std::uint64_t> HeapDumper::rewrite(const std::string& path, DumpSites& sites) {
  const FileDescriptor whole(open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!whole.valid()) return errno_error("reading the heap dump");
  unlink(path.c_str());  // the VM's file is open, and its name is free
  // Frees the disk blocks of the part that has been read, for the output.
  const auto used = [&](std::uint64_t bytes) {
    fallocate(whole.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
              static_cast<off_t>(bytes));
  };
  FileDescriptor fresh;
  int error = 0;
  const auto write = [&](std::string_view piece) {
    if (closed_) return false;
    if (!fresh.valid()) {
      fresh = FileDescriptor(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
      if (!fresh.valid()) error = errno;
    }
    if (error == 0) error = write_all(fresh.get(), piece);
    return error == 0;
  };
  const SitesDumpResult result = write_sites_dump(whole.get(), sites, write, used);
  if (error == 0 && fresh.valid() && ::close(fresh.release()) != 0 && errno != EINTR) error = errno;
  if (error != 0) return Error{errno_text(error)};
  if (closed_) return Error{"the program ends"};
  if (!result.problem.empty()) return Error{"the VM's heap dump: " + result.problem};
  return result.with_stack;
}

void HeapDumper::vm_dies() {
  if (vm_flags::boolean("UseZGC") == true || vm_flags::boolean("UseShenandoahGC") == true) {
    collects_ = false;
  }
}

std::optional<Error> HeapDumper::refuse_big_heap(JNIEnv* jni, std::size_t max_bytes) {
  // A dump has at least about the heap's size of its objects. Garbage must not count, since a dump
  // contains reachable objects only: in doubt, collect.
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

Result<HeapDumper::Stored> HeapDumper::store(JNIEnv* jni, const HoldObjects& hold,
                                             std::optional<std::size_t> max_bytes) {
  const std::lock_guard one(one_dump_);
  if (max_bytes) {
    if (auto too_big = refuse_big_heap(jni, *max_bytes)) return std::move(*too_big);
  }
  const auto target = target_of(temporary_directory() + "/" + kDumpFile);
  if (!target) return target.error();
  const Unfinished unfinished(*this, *target);
  if (unfinished.problem()) return *unfinished.problem();
  const std::string path = target->temporary_path();
  auto sites = dump(jni, path, nullptr, hold);
  if (!sites) return Error{"heap dump: " + sites.message()};
  Stored stored;
  if (*sites) {
    const auto with_stack = rewrite(path, **sites);
    if (!with_stack) return Error{"heap dump: " + with_stack.message()};
    stored.with_stack = *with_stack;
  }
  auto data = open_stored(path);
  if (!data) return data.error();
  if (const std::uint64_t size = (*data)->size(); max_bytes && size > *max_bytes) {
    return Error{
        fmt::format("the heap dump has {} MiB, and {} MiB fit into a packet; HPDU, "
                    "or jcmd PID GC.heap_dump, writes it to a file",
                    size / kMiB, *max_bytes / kMiB)};
  }
  stored.data = std::move(*data);
  return stored;
}

void HeapDumper::close() {
  const std::lock_guard lock(mutex_);
  if (closed_.exchange(true) || !unfinished_) return;
  // While the VM writes, it would miss parts that it is about to join, and say so on stdout.
  if (!vm_writes_) remove_unfinished();
  const std::lock_guard list(g_unfinished_mutex);
  if (g_unfinished_at_exit == nullptr) std::atexit(remove_all_at_exit);
  next_unfinished_at_exit_ = g_unfinished_at_exit;
  g_unfinished_at_exit = this;
}

void HeapDumper::remove_unfinished() const {
  if (unfinished_) remove_dump(unfinished_->directory);
}

void HeapDumper::remove_all_at_exit() {
  const std::lock_guard list(g_unfinished_mutex);
  for (HeapDumper* one = g_unfinished_at_exit; one != nullptr;
       one = one->next_unfinished_at_exit_) {
    const std::unique_lock lock(one->mutex_, std::try_to_lock);
    if (lock) one->remove_unfinished();  // otherwise another thread is removing it
  }
}

}  // namespace ddm
