#include "vm/vm_structs.h"

#include <cstring>
#include <string>

#include "vm/vm_library.h"

namespace ddm::vm_structs {
namespace {

// Value of an exported `uint64_t` or pointer variable of libjvm.
std::optional<std::uint64_t> exported(const char* symbol) {
  const void* address = vm_library::symbol(symbol);
  if (address == nullptr) return std::nullopt;
  std::uint64_t value = 0;
  std::memcpy(&value, address, sizeof value);
  return value;
}

struct Layout {  // of one VMStructEntry
  std::uint64_t entries, stride, type_name, field_name, is_static, offset, address;
};

std::optional<Layout> read_layout() {
  const auto entries = exported("gHotSpotVMStructs");
  const auto stride = exported("gHotSpotVMStructEntryArrayStride");
  const auto type_name = exported("gHotSpotVMStructEntryTypeNameOffset");
  const auto field_name = exported("gHotSpotVMStructEntryFieldNameOffset");
  const auto is_static = exported("gHotSpotVMStructEntryIsStaticOffset");
  const auto offset = exported("gHotSpotVMStructEntryOffsetOffset");
  const auto address = exported("gHotSpotVMStructEntryAddressOffset");
  if (!entries || !stride || !type_name || !field_name || !is_static || !offset || !address ||
      *entries == 0 || *stride == 0) {
    return std::nullopt;
  }
  return Layout{*entries, *stride, *type_name, *field_name, *is_static, *offset, *address};
}

template <typename T>
T read(std::uint64_t at) {
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(at), sizeof value);
  return value;
}

// Address of the entry, or 0.
std::uint64_t find_entry(const Layout& layout, const char* type, const char* field) {
  for (std::uint64_t at = layout.entries;; at += layout.stride) {
    const char* entry_type = read<const char*>(at + layout.type_name);
    const char* entry_field = read<const char*>(at + layout.field_name);
    if (entry_type == nullptr || entry_field == nullptr) return 0;
    if (std::strcmp(entry_type, type) == 0 && std::strcmp(entry_field, field) == 0) return at;
  }
}

const std::optional<Layout>& layout() {
  static const std::optional<Layout> value = read_layout();
  return value;
}

// The tables of constants and types are arrays of { name, value }.
struct Table {
  std::uint64_t entries, stride, name, value;
};

std::optional<Table> read_table(const char* entries_symbol, const std::string& entry,
                                const char* name, const char* value) {
  const auto number = [&entry](const char* part) { return exported((entry + part).c_str()); };
  const auto entries = exported(entries_symbol);
  const auto stride = number("EntryArrayStride");
  const auto name_offset = number(name);
  const auto value_offset = number(value);
  if (!entries || !stride || !name_offset || !value_offset || *entries == 0 || *stride == 0) {
    return std::nullopt;
  }
  return Table{*entries, *stride, *name_offset, *value_offset};
}

template <typename T>
std::optional<T> find_value(const std::optional<Table>& table, const char* wanted) {
  if (!table) return std::nullopt;
  for (std::uint64_t at = table->entries;; at += table->stride) {
    const char* name = read<const char*>(at + table->name);
    if (name == nullptr) return std::nullopt;
    if (std::strcmp(name, wanted) == 0) return read<T>(at + table->value);
  }
}

}  // namespace

std::optional<std::int64_t> offset_of(const char* type, const char* field) {
  if (!layout()) return std::nullopt;
  const std::uint64_t entry = find_entry(*layout(), type, field);
  if (entry == 0 || read<std::int32_t>(entry + layout()->is_static) != 0) return std::nullopt;
  const auto offset = read<std::uint64_t>(entry + layout()->offset);
  const std::uint64_t bytes = size_of(type).value_or(0);
  if (bytes != 0 && offset >= bytes) return std::nullopt;
  return static_cast<std::int64_t>(offset);
}

std::optional<std::uintptr_t> address_of(const char* type, const char* field) {
  if (!layout()) return std::nullopt;
  const std::uint64_t entry = find_entry(*layout(), type, field);
  if (entry == 0 || read<std::int32_t>(entry + layout()->is_static) == 0) return std::nullopt;
  return read<std::uintptr_t>(entry + layout()->address);
}

std::optional<std::int32_t> int_constant(const char* name) {
  static const auto table = read_table("gHotSpotVMIntConstants", "gHotSpotVMIntConstant",
                                       "EntryNameOffset", "EntryValueOffset");
  return find_value<std::int32_t>(table, name);
}

std::optional<std::uint64_t> long_constant(const char* name) {
  static const auto table = read_table("gHotSpotVMLongConstants", "gHotSpotVMLongConstant",
                                       "EntryNameOffset", "EntryValueOffset");
  return find_value<std::uint64_t>(table, name);
}

std::optional<std::uint64_t> size_of(const char* type) {
  static const auto table =
      read_table("gHotSpotVMTypes", "gHotSpotVMType", "EntryTypeNameOffset", "EntrySizeOffset");
  return find_value<std::uint64_t>(table, type);
}

}  // namespace ddm::vm_structs
