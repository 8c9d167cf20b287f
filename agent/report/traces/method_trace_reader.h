// Reads a trace file (method_trace.h), of versions 2 and 3. The bytes may come from anybody.
#pragma once

#include <string>
#include <string_view>

#include "report/traces/method_trace.h"

namespace ddm {

// "" or what is wrong with the file. Methods are numbered as when it was written.
std::string read_method_trace(std::string_view bytes, MethodTrace& trace);

}  // namespace ddm
