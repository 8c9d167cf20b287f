#include "vm/vm_structs.h"

#include <array>
#include <cstring>
#include <string>

#include "vm/memory/object_layout.h"
#include "vm/vm_library.h"

namespace ddm::vm_structs {
namespace {

// A table of libjvm: an array of entries, with the offsets of what is asked for in each.
template <std::size_t Fields>
struct Table {
  std::uint64_t entries, stride;
  std::array<std::uint64_t, Fields> offsets;
};

// Exported variables have the address, the size of an entry and the offsets: gHotSpotVMTypes,
// gHotSpotVMTypeEntryArrayStride, gHotSpotVMTypeEntryTypeNameOffset. nullopt: one is missing.
template <std::size_t Fields>
std::optional<Table<Fields>> read_table(const std::string& name,
                                        const char* const (&fields)[Fields]) {
  bool complete = true;
  const auto exported = [&](const std::string& symbol) {
    void* const at = vm_library::symbol(symbol.c_str());
    complete = complete && at != nullptr;
    return at == nullptr ? 0 : read_at<std::uint64_t>(reinterpret_cast<std::uintptr_t>(at));
  };
  Table<Fields> table{exported(name + "s"), exported(name + "EntryArrayStride"), {}};
  for (std::size_t i = 0; i < Fields; ++i) {
    table.offsets[i] = exported(name + "Entry" + fields[i] + "Offset");
  }
  if (!complete || table.entries == 0 || table.stride == 0) return std::nullopt;
  return table;
}

// The address of a static field, the offset of another one.
std::optional<std::uint64_t> find_field(const char* type, const char* field, bool is_static) {
  static const auto table =
      read_table("gHotSpotVMStruct", {"TypeName", "FieldName", "IsStatic", "Offset", "Address"});
  if (!table) return std::nullopt;
  const auto [type_at, field_at, static_at, offset_at, address_at] = table->offsets;
  for (std::uint64_t at = table->entries;; at += table->stride) {
    const auto* const entry_type = read_at<const char*>(at + type_at);
    const auto* const entry_field = read_at<const char*>(at + field_at);
    if (entry_type == nullptr || entry_field == nullptr) return std::nullopt;
    if (std::strcmp(entry_type, type) != 0 || std::strcmp(entry_field, field) != 0) continue;
    if ((read_at<std::int32_t>(at + static_at) != 0) != is_static) return std::nullopt;
    return read_at<std::uint64_t>(at + (is_static ? address_at : offset_at));
  }
}

template <typename T>
std::optional<T> find_value(const std::optional<Table<2>>& table, const char* wanted) {
  if (!table) return std::nullopt;
  const auto [name_at, value_at] = table->offsets;
  for (std::uint64_t at = table->entries;; at += table->stride) {
    const auto* const name = read_at<const char*>(at + name_at);
    if (name == nullptr) return std::nullopt;
    if (std::strcmp(name, wanted) == 0) return read_at<T>(at + value_at);
  }
}

}  // namespace

std::optional<std::int64_t> offset_of(const char* type, const char* field) {
  const auto offset = find_field(type, field, false);
  const std::uint64_t bytes = offset ? size_of(type).value_or(0) : 0;
  if (!offset || (bytes != 0 && *offset >= bytes)) return std::nullopt;
  return static_cast<std::int64_t>(*offset);
}

std::optional<std::uintptr_t> address_of(const char* type, const char* field) {
  return find_field(type, field, true);
}

std::optional<std::int32_t> int_constant(const char* name) {
  static const auto table = read_table("gHotSpotVMIntConstant", {"Name", "Value"});
  return find_value<std::int32_t>(table, name);
}

std::optional<std::uint64_t> long_constant(const char* name) {
  static const auto table = read_table("gHotSpotVMLongConstant", {"Name", "Value"});
  return find_value<std::uint64_t>(table, name);
}

std::optional<std::uint64_t> size_of(const char* type) {
  static const auto table = read_table("gHotSpotVMType", {"TypeName", "Size"});
  return find_value<std::uint64_t>(table, type);
}

}  // namespace ddm::vm_structs
