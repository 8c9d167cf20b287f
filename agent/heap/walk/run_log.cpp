#include "heap/walk/run_log.h"

#include <sys/mman.h>

#include <algorithm>
#include <utility>

namespace ddm {
namespace {

constexpr std::size_t kLeast = std::size_t{64} << 10;
constexpr std::size_t kLarge = std::size_t{64} << 20;  // address space, not memory

}  // namespace

std::optional<RunLog> RunLog::reserve(std::size_t bytes) {
  // Where the kernel counts address space as memory, a log for the heap as it is likely to be does
  // as well as one for the worst case.
  for (std::size_t size = std::max(bytes, kLeast), tries = 0; size >= kLeast && tries < 5;
       size /= 2, ++tries) {
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) continue;
    // A page fault for each 4 KiB would take a fifth of the walk's time; where there are no huge
    // pages, it does.
    if (size >= kLarge) madvise(memory, size, MADV_HUGEPAGE);
    RunLog log;
    log.begin_ = static_cast<std::uint8_t*>(memory);
    log.tail_ = {log.begin_, log.begin_ + size};
    return log;
  }
  return std::nullopt;
}

RunLog::~RunLog() {
  if (begin_ != nullptr) munmap(begin_, static_cast<std::size_t>(tail_.limit - begin_));
}

void RunLog::swap(RunLog& other) noexcept {
  std::swap(begin_, other.begin_);
  std::swap(tail_, other.tail_);
  std::swap(full_, other.full_);
}

}  // namespace ddm
