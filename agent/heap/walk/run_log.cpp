#include "heap/walk/run_log.h"

#include <sys/mman.h>

#include <algorithm>
#include <utility>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace ddm {
namespace {

constexpr std::size_t kLeast = std::size_t{64} << 10;
constexpr std::size_t kPage = 4096;

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

}  // namespace

std::optional<RunLog> RunLog::reserve(std::size_t bytes) {
  // Where the kernel limits address space, a log for the likely heap is used instead of one for the
  // worst case.
  for (std::size_t size = whole_pages(std::max(bytes, kLeast)), tries = 0;
       size >= kLeast && tries < 5; size = whole_pages(size / 2), ++tries) {
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) continue;
    RunLog log;
    log.begin_ = static_cast<std::uint8_t*>(memory);
    log.tail_ = {log.begin_, log.begin_ + size};
    return log;
  }
  return std::nullopt;
}

void RunLog::populate(std::size_t bytes) noexcept {
  const auto reserved = static_cast<std::size_t>(tail_.limit - begin_);
  // Linux 5.14; before, pages are committed on first write.
  madvise(begin_, std::min(whole_pages(bytes), reserved), MADV_POPULATE_WRITE);
}

void RunLog::trim() noexcept {
  std::uint8_t* const end = begin_ + whole_pages(std::max(size(), std::size_t{1}));
  if (end >= tail_.limit) return;
  munmap(end, static_cast<std::size_t>(tail_.limit - end));
  tail_.limit = end;
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
