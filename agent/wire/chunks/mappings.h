// Parses the text of /proc/PID/maps. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ddm {

struct Mapping {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool readable = false;
  bool writable = false;
  bool executable = false;
  bool shared = false;
  std::uint64_t offset = 0;  // in the file
  std::uint64_t inode = 0;
  std::string name;  // path, [heap], [stack], or empty

  std::uint64_t bytes() const { return end - begin; }
  // Whether malloc may have mapped this memory.
  bool anonymous_data() const {
    return readable && writable && !executable && !shared && inode == 0 &&
           (name.empty() || name.starts_with("[anon"));
  }
};

// In ascending order; lines that cannot be parsed are dropped.
std::vector<Mapping> parse_mappings(std::string_view maps_text);

// The mapping that contains the address, or null.
const Mapping* find_mapping(const std::vector<Mapping>& mappings, std::uintptr_t address);

}  // namespace ddm
