#include "time/calls/method_marks.h"

#include <exception>

namespace ddm {

bool MethodMarks::find_out(MethodNumber method) noexcept {
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

}  // namespace ddm
