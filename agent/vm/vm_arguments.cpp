#include "vm/vm_arguments.h"

#include <cstdint>
#include <utility>

#include "core/own_memory.h"
#include "vm/vm_structs.h"

namespace ddm {

std::vector<std::string> vm_arguments() {
  constexpr std::int32_t kMostArguments = 1 << 16;
  const auto array_at = vm_structs::address_of("Arguments", "_jvm_args_array");
  const auto count_at = vm_structs::address_of("Arguments", "_num_jvm_args");
  if (!array_at || !count_at) return {};
  // Written during VM start-up, and constant afterwards.
  const auto array = read_own<std::uintptr_t>(*array_at);
  const auto count = read_own<std::int32_t>(*count_at);
  if (!array || !count || *count < 0 || *count > kMostArguments) return {};
  std::vector<std::uintptr_t> texts(static_cast<std::size_t>(*count));
  if (!read_own_memory(*array, texts.data(), texts.size() * sizeof texts[0])) return {};
  std::vector<std::string> arguments;
  MemoryWindow window(kPage);
  for (const std::uintptr_t text : texts) {
    if (text == 0) continue;
    auto argument = window.text(text);
    if (!argument) return {};
    arguments.push_back(std::move(*argument));
  }
  return arguments;
}

}  // namespace ddm
