// The names of a library's functions, by where they lie in its file.
//
// One thread. A file that is no ELF of 64 bits, or damaged, has none; nothing is read beyond its end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ddm {

class ElfSymbols {
 public:
  explicit ElfSymbols(const std::string& path);

  // Of the function that holds the byte at `offset` of the file, as C++ shows it; "" if none does.
  std::string at(std::uint64_t offset) const;
  std::size_t size() const { return symbols_.size(); }

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
