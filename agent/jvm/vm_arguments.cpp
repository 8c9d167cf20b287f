#include "jvm/vm_arguments.h"

#include "jvm/vm_structs.h"

namespace ddm {

std::vector<std::string> vm_arguments() {
  const auto array_at = vm_structs::address_of("Arguments", "_jvm_args_array");
  const auto count_at = vm_structs::address_of("Arguments", "_num_jvm_args");
  if (!array_at || !count_at) return {};
  // Written while the VM starts, and constant from then on.
  const char* const* array = *reinterpret_cast<const char* const* const*>(*array_at);
  const int count = *reinterpret_cast<const int*>(*count_at);
  std::vector<std::string> arguments;
  for (int i = 0; array != nullptr && i < count; ++i) {
    if (array[i] != nullptr) arguments.emplace_back(array[i]);
  }
  return arguments;
}

}  // namespace ddm
