#include "core/own_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "core/file_descriptor.h"

namespace ddm {
namespace {

// A container's seccomp filter may forbid process_vm_readv; /proc/self/mem reads the same memory.
bool read_from_file(std::uintptr_t from, void* to, std::size_t bytes) {
  const FileDescriptor fd(open("/proc/self/mem", O_RDONLY | O_CLOEXEC));
  return fd.valid() &&
         pread(fd.get(), to, bytes, static_cast<off_t>(from)) == static_cast<ssize_t>(bytes);
}

bool read_by_kernel(std::uintptr_t from, void* to, std::size_t bytes) {
  static std::atomic<bool> forbidden{false};
  if (!forbidden) {
    const iovec local{to, bytes};
    const iovec remote{reinterpret_cast<void*>(from), bytes};  // NOLINT: an address
    const ssize_t got = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
    if (got >= 0 || (errno != EPERM && errno != ENOSYS)) return got == static_cast<ssize_t>(bytes);
    forbidden = true;
  }
  return read_from_file(from, to, bytes);
}

}  // namespace

bool read_own_memory(std::uintptr_t from, void* to, std::size_t bytes) {
  const int before = errno;
  const bool read = read_by_kernel(from, to, bytes);
  errno = before;
  return read;
}

std::string read_maps_text() { return file_text("/proc/self/maps").value_or(""); }

MemoryWindow::MemoryWindow(std::size_t block)
    : size_(block + kPage),  // the requested bytes may begin at the end of the first page
      block_(static_cast<std::byte*>(
          mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {}

MemoryWindow::~MemoryWindow() {
  if (block_ != MAP_FAILED) munmap(block_, size_);
}

std::optional<std::string> MemoryWindow::text(std::uintptr_t at) {
  constexpr std::size_t kLongest = 1 << 20;
  std::string text;
  while (text.size() <= kLongest) {
    const auto letter = read<char>(at + text.size());
    if (!letter) return std::nullopt;
    if (*letter == '\0') return text;
    text += *letter;
  }
  return std::nullopt;
}

bool MemoryWindow::copy(std::uintptr_t at, void* to, std::size_t bytes) {
  if (at + bytes < at || block_ == MAP_FAILED) return false;
  if (at < begin_ || at + bytes > end_) {
    begin_ = at / kPage * kPage;
    end_ = begin_ + size_;
    // The mapping may end within the block: the last attempt reads only the pages needed.
    const std::uintptr_t needed = (at + bytes + kPage - 1) / kPage * kPage;
    while (!read_own_memory(begin_, block_, end_ - begin_)) {
      if (end_ <= needed) {
        begin_ = end_ = 0;
        return false;
      }
      const std::uintptr_t half = begin_ + (end_ - begin_) / 2 / kPage * kPage;
      end_ = half > needed ? half : needed;
    }
  }
  std::memcpy(to, block_ + (at - begin_), bytes);
  return true;
}

}  // namespace ddm
