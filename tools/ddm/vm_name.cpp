#include "vm_name.h"

namespace ddm {

std::string short_vm(std::string_view vm) {
  constexpr std::string_view kKind = " 64-Bit Server VM ";
  const std::size_t at = vm.find(kKind);
  if (at == std::string_view::npos) return std::string(vm);
  const std::string_view version = vm.substr(at + kKind.size());
  return std::string(vm.substr(0, at)) + " " + std::string(version.substr(0, version.find('-')));
}

}  // namespace ddm
