// The conditions of probes: any text is a condition or an error of one line.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "patch/probes/probe_condition.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto conditions = ddm::parse_condition({reinterpret_cast<const char*>(data), size});
  if (!conditions && conditions.message().empty()) std::abort();
  if (conditions && conditions->size() > 16) std::abort();
  return 0;
}
