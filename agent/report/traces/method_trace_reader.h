// Reads a trace file (method_trace.h), versions 2 and 3. The bytes are untrusted.
#pragma once

#include <string>
#include <string_view>

#include "report/traces/method_trace.h"

namespace ddm {

// "" or the error. Methods keep the numbers of the file.
std::string read_method_trace(std::string_view bytes, MethodTrace& trace);

}  // namespace ddm
