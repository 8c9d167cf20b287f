#include "report/hprof/hprof_bytes.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

namespace ddm {

std::uint32_t hprof_value_bytes(std::uint8_t type, std::uint32_t id_bytes) {
  constexpr std::uint32_t kBytes[] = {0, 0, 0, 0, 1, 2, 4, 8, 1, 2, 4, 8};
  if (type == kHprofReference) return id_bytes;
  return type < std::size(kBytes) ? kBytes[type] : 0;
}

std::string HprofBytes::text(std::uint64_t size) {
  std::string result;
  for (; size > 0 && good_; --size) {
    const auto next = static_cast<char>(byte());
    if (good_) result += next;
  }
  return result;
}

void HprofBytes::skip(std::uint64_t size) {
  while (kept_ != nullptr && size > 0) {
    if (at_ == filled_ && !fill()) return;
    const std::size_t here = std::min<std::uint64_t>(size, filled_ - at_);
    kept_->append(reinterpret_cast<const char*>(&piece_[at_]), here);
    at_ += here;
    size -= here;
  }
  const std::uint64_t here = std::min<std::uint64_t>(size, filled_ - at_);
  at_ += here;
  if (size == here) return;
  begin_ += size - here;
  at_ = filled_ = 0;
}

bool HprofBytes::fill() {
  ssize_t got = 0;
  do {
    got = ::pread(fd_, piece_.data(), piece_.size(), static_cast<off_t>(begin_));
  } while (got < 0 && errno == EINTR);
  if (got <= 0) {
    good_ = false;
    return false;
  }
  filled_ = static_cast<std::size_t>(got);
  at_ = 0;
  begin_ += filled_;
  return true;
}

bool HprofBytes::holds(std::uint64_t bytes) const {
  if (bytes == 0) return true;
  std::uint8_t last = 0;
  return ::pread(fd_, &last, 1, static_cast<off_t>(bytes - 1)) == 1;
}

}  // namespace ddm
