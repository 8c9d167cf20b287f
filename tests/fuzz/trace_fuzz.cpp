// The reader of trace files; what it takes is written again and must read the same.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "report/traces/method_trace.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ddm::MethodTrace trace;
  if (!ddm::read_method_trace({reinterpret_cast<const char*>(data), size}, trace).empty()) return 0;
  ddm::MethodTrace again;
  if (!ddm::read_method_trace(ddm::method_trace_file(trace), again).empty()) std::abort();
  if (again.events.size() != trace.events.size()) std::abort();
  if (again.methods.size() != trace.methods.size()) std::abort();
  return 0;
}
