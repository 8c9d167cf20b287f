// The functions of a library by their file offsets.
//
// One thread. A file that is not 64-bit ELF, or damaged, has none; reads stay within the file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ddm {

class ElfSymbols {
 public:
  explicit ElfSymbols(const std::string& path);

  // The demangled name of the function that contains this file offset; "": none.
  std::string at(std::uint64_t offset) const;

 private:
  struct Segment {
    std::uint64_t offset, address, bytes;
  };
  struct Symbol {
    std::uint64_t address, bytes;
    std::string name;
  };

  void read(const std::string& bytes);

  std::vector<Segment> segments_;
  std::vector<Symbol> symbols_;  // by address
};

}  // namespace ddm
