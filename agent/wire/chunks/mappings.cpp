#include "wire/chunks/mappings.h"

#include <algorithm>

#include "core/whole_text.h"

namespace ddm {
namespace {

// Splits the text before the separator off the line.
std::string_view take(std::string_view& line, char separator) {
  const std::size_t at = line.find(separator);
  const std::string_view field = line.substr(0, at);
  line.remove_prefix(at == std::string_view::npos ? line.size() : at + 1);
  return field;
}

// 55d0c8a00000-55d0c8a21000 rw-p 00000000 00:00 0          [heap]
bool parse_line(std::string_view line, Mapping* mapping) {
  const auto begin = number_in<std::uint64_t>(take(line, '-'), 16);
  const auto end = number_in<std::uint64_t>(take(line, ' '), 16);
  if (!begin || !end || *begin >= *end) return false;
  mapping->begin = *begin;
  mapping->end = *end;
  const std::string_view rights = take(line, ' ');
  if (rights.size() != 4) return false;
  mapping->readable = rights[0] == 'r';
  mapping->writable = rights[1] == 'w';
  mapping->executable = rights[2] == 'x';
  mapping->shared = rights[3] == 's';
  const auto offset = number_in<std::uint64_t>(take(line, ' '), 16);
  take(line, ' ');  // device
  const auto inode = number_in<std::uint64_t>(take(line, ' '));
  if (!offset || !inode) return false;
  mapping->offset = *offset;
  mapping->inode = *inode;
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  mapping->name = line;
  return true;
}

}  // namespace

std::vector<Mapping> parse_mappings(std::string_view maps_text) {
  std::vector<Mapping> mappings;
  while (!maps_text.empty()) {
    Mapping mapping;
    if (parse_line(take(maps_text, '\n'), &mapping)) mappings.push_back(std::move(mapping));
  }
  // The kernel's list is sorted; a peer's may not be.
  std::ranges::stable_sort(mappings, {}, &Mapping::begin);
  return mappings;
}

const Mapping* find_mapping(const std::vector<Mapping>& mappings, std::uintptr_t address) {
  const auto behind = std::ranges::upper_bound(mappings, address, {}, &Mapping::begin);
  if (behind == mappings.begin() || std::prev(behind)->end <= address) return nullptr;
  return &*std::prev(behind);
}

}  // namespace ddm
