#include "vm/vm_arguments.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "core/own_memory.h"
#include "vm/vm_structs.h"

namespace ddm {
namespace {

constexpr std::int32_t kMostArguments = 1 << 16;
constexpr std::size_t kLongestArgument = 1 << 20;

}  // namespace

std::vector<std::string> vm_arguments() {
  const auto array_at = vm_structs::address_of("Arguments", "_jvm_args_array");
  const auto count_at = vm_structs::address_of("Arguments", "_num_jvm_args");
  if (!array_at || !count_at) return {};
  // Written during VM start-up, and constant afterwards.
  std::uintptr_t array = 0;
  std::int32_t count = 0;
  if (!read_own_memory(*array_at, &array, sizeof array) ||
      !read_own_memory(*count_at, &count, sizeof count) || count < 0 || count > kMostArguments) {
    return {};
  }
  std::vector<std::uintptr_t> texts(static_cast<std::size_t>(count));
  if (!read_own_memory(array, texts.data(), texts.size() * sizeof texts[0])) return {};
  std::vector<std::string> arguments;
  MemoryWindow window(kPage);
  for (const std::uintptr_t text : texts) {
    std::string argument;
    for (std::optional<char> one; text != 0; argument += *one) {
      one = window.read<char>(text + argument.size());
      if (!one || argument.size() > kLongestArgument) return {};
      if (*one == '\0') break;
    }
    if (text != 0) arguments.push_back(std::move(argument));
  }
  return arguments;
}

}  // namespace ddm
