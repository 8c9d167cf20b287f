// CPU times of threads, from /proc.
#pragma once

#include <cstdint>

#include "core/file_descriptor.h"

namespace ddm {

struct ThreadTimes {  // in ticks of 1/100 s
  std::uint32_t user = 0;
  std::uint32_t system = 0;
};

// Opens /proc/self/task once for many reads.
class ThreadTimesReader {
 public:
  ThreadTimesReader();
  // Zeros if the thread has ended.
  ThreadTimes read(std::uint32_t os_id) const;

 private:
  FileDescriptor tasks_;
  std::uint64_t ticks_per_second_;
};

}  // namespace ddm
