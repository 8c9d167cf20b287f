// Moments of native memory that the user has given names: what was sampled then, as NHGT has it, in
// files beside the marks of allocations (marks.h), PID-NAME.nhgt.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/result.h"
#include "wire/chunks/native_heap.h"

namespace ddm {

// Of whom and since when figures are: those of two moments can be held against each other only if
// these are the same.
struct NativeMoment {
  std::uint32_t pid = 0;
  std::uint64_t process_start = 0;
  std::uint32_t period = 0;  // how often sampling was switched on
};

// Takes the place of a mark of that name; whose program has ended goes.
std::optional<Error> set_native_mark(const std::string& name, const NativeMoment& now,
                                     const NativeHeap& heap);

// The error: there is no such mark, or it is of another program or of before a switching.
Result<NativeHeap> find_native_mark(const std::string& name, const NativeMoment& now);

}  // namespace ddm
