#include "vm/perf_counters.h"

#include <cstring>
#include <string>

#include "core/own_memory.h"
#include "vm/vm_structs.h"

namespace ddm {
namespace {

// The memory that jstat maps, version 2.0 (perfMemory.hpp, perfData.hpp):
//
//   prologue                          entry, entry_length bytes each
//   u4 magic, bytes CA FE C0 C0       u4 entry_length
//   u1 byte order, u1 major version   u4 name_offset     from the entry, zero-terminated
//   u1 minor, u1 accessible           u4 vector_length   0: one value
//   u4 used, u4 overflow              u1 data_type       'J': 64 bits
//   u8 time of the last change        u1 flags, u1 units, u1 variability
//   u4 entry_offset, u4 num_entries   u4 data_offset     from the entry
struct Prologue {
  unsigned char magic[4];
  std::uint8_t byte_order, major, minor, accessible;
  std::uint32_t used, overflow;
  std::uint32_t changed[2];
  std::uint32_t entry_offset, num_entries;
};
static_assert(sizeof(Prologue) == 32);

struct Entry {
  std::uint32_t length, name_offset, vector_length;
  char type;
  std::uint8_t flags, units, variability;
  std::uint32_t data_offset;
};
static_assert(sizeof(Entry) == 20);

}  // namespace

std::optional<std::uintptr_t> perf_counter_address(std::string_view name) {
  constexpr unsigned char kMagic[] = {0xca, 0xfe, 0xc0, 0xc0};
  constexpr std::uint32_t kMostEntries = 1 << 14;
  const auto start = vm_structs::address_of("PerfMemory", "_start");
  const auto memory = start ? read_own<std::uintptr_t>(*start) : std::nullopt;
  const auto prologue = memory ? read_own<Prologue>(*memory) : std::nullopt;
  if (!prologue || std::memcmp(prologue->magic, kMagic, sizeof kMagic) != 0 ||
      prologue->major != 2 || prologue->num_entries > kMostEntries) {
    return std::nullopt;
  }
  std::uintptr_t at = *memory + prologue->entry_offset;
  std::string found(name.size() + 1, '\0');
  for (std::uint32_t i = 0; i < prologue->num_entries; ++i) {
    const auto entry = read_own<Entry>(at);
    if (!entry || entry->length < sizeof(Entry)) return std::nullopt;
    if (entry->type == 'J' && entry->vector_length == 0 &&
        read_own_memory(at + entry->name_offset, found.data(), found.size()) &&
        found.back() == '\0' && found.compare(0, name.size(), name) == 0) {
      return at + entry->data_offset;
    }
    at += entry->length;
  }
  return std::nullopt;
}

}  // namespace ddm
