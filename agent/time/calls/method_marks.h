// Caches a filter's decisions by method number: a known one is one array access. Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>

#include "core/reserved_array.h"
#include "time/calls/method_filter.h"
#include "time/calls/method_numbers.h"

namespace ddm {

class MethodMarks {
 public:
  // `numbers` must outlive this object.
  MethodMarks(const MethodNumbers& numbers, MethodFilter filter)
      : numbers_(numbers), filter_(std::move(filter)), known_(MethodNumbers::kMost) {}

  bool marked(MethodNumber method) noexcept {
    if (!known_.good()) return true;
    const std::uint8_t known = known_[method].load(std::memory_order_relaxed);
    return known != kUnknown ? known == kYes : find_out(method);
  }

 private:
  static constexpr std::uint8_t kUnknown = 0, kNo = 1, kYes = 2;

  bool find_out(MethodNumber method) noexcept {
    try {
      const MethodNames names = numbers_.names_of(method);
      const bool yes =
          filter_.wants(names.class_name, names.method, names.signature, names.is_platform);
      known_[method].store(yes ? kYes : kNo, std::memory_order_relaxed);
      return yes;
    } catch (const std::exception&) {
      return false;  // no memory: evaluated again at the next call
    }
  }

  const MethodNumbers& numbers_;
  const MethodFilter filter_;
  ReservedArray<std::atomic<std::uint8_t>> known_;
};

}  // namespace ddm
