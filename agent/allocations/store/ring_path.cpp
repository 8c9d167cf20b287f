#include "allocations/store/ring_path.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "core/file_descriptor.h"

namespace ddm {

std::optional<RingMedium> ring_medium(const std::string& directory) {
  struct statfs status {};
  constexpr decltype(status.f_type) kXfs = 0x58465342;  // not in linux/magic.h of Debian 12
  if (statfs(directory.c_str(), &status) != 0) return std::nullopt;
  switch (status.f_type) {
    case TMPFS_MAGIC:
    case RAMFS_MAGIC:
      return RingMedium::kMemory;
    case EXT4_SUPER_MAGIC:
    case OVERLAYFS_SUPER_MAGIC:
    case kXfs:
      return RingMedium::kDisk;
    default:
      return RingMedium::kUnsafe;
  }
}

std::vector<std::string> ring_directories() {
  std::vector<std::string> result;
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && runtime[0] == '/' && ring_medium(runtime) == RingMedium::kMemory) {
    result.push_back(std::string(runtime) + "/ddm-rings");
  }
  if (ring_medium("/dev/shm") == RingMedium::kMemory) {
    result.push_back("/dev/shm/ddm-" + std::to_string(geteuid()));
  }
  return result;
}

std::string make_ring_directory(const std::string& path) {
  if (mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST) return errno_error(path).message;
  return is_own_directory(path) ? "" : path + " is no directory that is ours alone";
}

bool is_own_directory(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == geteuid() && (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

std::vector<std::string> ring_paths(const std::string& text, std::int64_t pid) {
  const std::string own_name = std::to_string(pid) + ".ring";
  if (text.find('/') != std::string::npos) {
    return {text.back() == '/' ? text + own_name : text};
  }
  std::vector<std::string> result;
  for (const std::string& directory : ring_directories()) {
    result.push_back(directory + "/" + (text.empty() ? own_name : text));
  }
  return result;
}

}  // namespace ddm
