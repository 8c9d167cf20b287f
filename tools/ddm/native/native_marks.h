// Marks of native memory: the NHGT data of a named moment, in files PID-NAME.nhgt beside the marks
// of allocations (marks.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/result.h"
#include "wire/chunks/native_heap.h"

namespace ddm {

// Identifies the program and the period of sampling: only figures with equal ones can be compared.
struct NativeMoment {
  std::uint32_t pid = 0;
  std::uint64_t process_start = 0;
  std::uint32_t period = 0;  // how often sampling was switched on
};

// Replaces a mark of that name, and removes those of programs that have ended.
std::optional<Error> set_native_mark(const std::string& name, const NativeMoment& now,
                                     const NativeHeap& heap);

// The error: no such mark, or one of another program or another period of sampling.
Result<NativeHeap> find_native_mark(const std::string& name, const NativeMoment& now);

}  // namespace ddm
