// What people write of probes: any text is a condition or an error of one line, and a list of methods
// or a fault.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "probes/plans/probe_condition.h"
#include "time/calls/method_filter.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ddm::MethodFilter filter(text);
  if (filter.wants("shop/Cart", "total", "(ILjava/lang/String;[J)V", false) &&
      !filter.may_want_class("shop/Cart", false)) {
    std::abort();
  }
  const auto conditions = ddm::parse_condition(text);
  if (!conditions && conditions.message().empty()) std::abort();
  if (conditions && conditions->size() > 16) std::abort();
  return 0;
}
