#include "vm/vm_flags.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>

#include "core/own_memory.h"
#include "vm/vm_structs.h"

namespace ddm::vm_flags {
namespace {

struct FlagTable {
  std::uintptr_t flags = 0;
  std::uint64_t count = 0, stride = 0, name = 0, value = 0;
};

// "UseG1GC": whether a flag's name is at the address.
bool is_name(std::uintptr_t at) {
  constexpr std::size_t kShortest = 3;
  std::array<char, kShortest> text;
  return read_own_memory(at, text.data(), text.size()) &&
         std::ranges::all_of(text,
                             [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

// nullopt if sampled entries of the table have no names.
std::optional<FlagTable> find_table() {
  constexpr std::uint64_t kMostFlags = 1 << 16, kMostBytes = 1 << 10, kChecked = 16;
  const auto flags = vm_structs::address_of("JVMFlag", "flags");
  const auto count = vm_structs::address_of("JVMFlag", "numFlags");
  const auto name = vm_structs::offset_of("JVMFlag", "_name");
  const auto value = vm_structs::offset_of("JVMFlag", "_addr");
  const auto stride = vm_structs::size_of("JVMFlag");
  if (!flags || !count || !name || !value || !stride) return std::nullopt;
  const auto first = read_own<std::uintptr_t>(*flags);
  const auto length = read_own<std::uint64_t>(*count);
  if (!first || !length || *length < kChecked || *length > kMostFlags || *stride > kMostBytes ||
      *name < 0 || *value < 0) {
    return std::nullopt;
  }
  const FlagTable table{*first, *length, *stride, static_cast<std::uint64_t>(*name),
                        static_cast<std::uint64_t>(*value)};
  // The last entry has no name.
  for (std::uint64_t check = 0; check < kChecked; ++check) {
    const std::uint64_t flag = table.flags + (*length - 2) * check / (kChecked - 1) * table.stride;
    const auto text = read_own<std::uintptr_t>(flag + table.name);
    if (!text || !is_name(*text) || !read_own<std::uintptr_t>(flag + table.value))
      return std::nullopt;
  }
  return table;
}

// Address of the flag's value, or 0.
std::uintptr_t find(const char* name) {
  static const std::optional<FlagTable> table = find_table();
  if (!table) return 0;
  for (std::uint64_t i = 0; i < table->count; ++i) {
    const std::uintptr_t flag = table->flags + i * table->stride;
    const auto text = *reinterpret_cast<const char* const*>(flag + table->name);
    if (text != nullptr && std::strcmp(text, name) == 0) {
      return *reinterpret_cast<const std::uintptr_t*>(flag + table->value);
    }
  }
  return 0;
}

}  // namespace

std::optional<bool> boolean(const char* name) {
  const auto value = read_own<std::uint8_t>(find(name));
  // A boolean flag is 0 or 1.
  if (!value || *value > 1) return std::nullopt;
  return *value != 0;
}

std::optional<std::int32_t> integer(const char* name) { return read_own<std::int32_t>(find(name)); }

std::optional<std::uint64_t> word(const char* name) { return read_own<std::uint64_t>(find(name)); }

std::optional<std::string> text(const char* name) {
  const auto given = read_own<std::uintptr_t>(find(name));
  if (!given) return std::nullopt;
  return *given == 0 ? "" : MemoryWindow(kPage).text(*given);
}

}  // namespace ddm::vm_flags
