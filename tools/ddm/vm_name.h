// The name and version of a VM, shortened.
#pragma once

#include <string>
#include <string_view>

namespace ddm {

// "OpenJDK 64-Bit Server VM 17.0.2+8-Debian" -> "OpenJDK 17.0.2+8"; any other text stays.
std::string short_vm(std::string_view vm);

}  // namespace ddm
