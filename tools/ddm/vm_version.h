// The version of a VM in its name, as HELO and reports have it.
#pragma once

#include <string_view>

namespace ddm {

// "OpenJDK 64-Bit Server VM 17.0.21+9", "... v17.0.21": 17. That of another VM is not known: 0.
int jdk_of(std::string_view vm);

}  // namespace ddm
