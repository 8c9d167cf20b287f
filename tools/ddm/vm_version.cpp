#include "vm_version.h"

#include "core/whole_text.h"

namespace ddm {

int jdk_of(std::string_view vm) {
  const std::size_t blank = vm.rfind(' ');
  std::string_view version = blank == std::string_view::npos ? vm : vm.substr(blank + 1);
  if (version.starts_with('v')) version.remove_prefix(1);
  return number_in<int>(version.substr(0, version.find_first_not_of("0123456789"))).value_or(0);
}

}  // namespace ddm
