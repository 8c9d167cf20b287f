#include "native/elf_symbols.h"

#include <cxxabi.h>
#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>

namespace ddm {
namespace {

constexpr std::size_t kMaxElfBytes = std::size_t{512} << 20;

// A structure of the file; none: it is truncated.
template <typename Part>
std::optional<Part> part_at(const std::string& bytes, std::uint64_t at) {
  if (at > bytes.size() || bytes.size() - at < sizeof(Part)) return {};
  Part part;
  std::memcpy(&part, bytes.data() + at, sizeof part);
  return part;
}

std::string text_at(const std::string& bytes, std::uint64_t at) {
  if (at >= bytes.size()) return {};
  return bytes.substr(at, std::min(bytes.find('\0', at), bytes.size()) - at);
}

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 ? std::string(text.get()) : name;
}

}  // namespace

ElfSymbols::ElfSymbols(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file || file.tellg() <= 0 || static_cast<std::size_t>(file.tellg()) > kMaxElfBytes) return;
  std::string bytes(static_cast<std::size_t>(file.tellg()), '\0');
  file.seekg(0);
  if (file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) read(bytes);
}

void ElfSymbols::read(const std::string& bytes) {
  const auto head = part_at<Elf64_Ehdr>(bytes, 0);
  if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
      head->e_ident[EI_CLASS] != ELFCLASS64) {
    return;
  }
  for (std::uint64_t i = 0; i < head->e_phnum; ++i) {
    const auto segment = part_at<Elf64_Phdr>(bytes, head->e_phoff + i * sizeof(Elf64_Phdr));
    if (!segment) return;
    if (segment->p_type == PT_LOAD) {
      segments_.push_back({segment->p_offset, segment->p_vaddr, segment->p_filesz});
    }
  }
  // .symtab includes .dynsym; stripped libraries have only .dynsym.
  for (const std::uint32_t kind : {SHT_SYMTAB, SHT_DYNSYM}) {
    for (std::uint64_t i = 0; i < head->e_shnum && symbols_.empty(); ++i) {
      const auto section = part_at<Elf64_Shdr>(bytes, head->e_shoff + i * sizeof(Elf64_Shdr));
      if (!section || section->sh_type != kind) continue;
      const auto names = part_at<Elf64_Shdr>(
          bytes, head->e_shoff + std::uint64_t{section->sh_link} * sizeof(Elf64_Shdr));
      if (!names) continue;
      for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= section->sh_size;
           at += sizeof(Elf64_Sym)) {
        const auto symbol = part_at<Elf64_Sym>(bytes, section->sh_offset + at);
        if (!symbol) break;
        if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_value == 0) continue;
        symbols_.push_back({symbol->st_value, symbol->st_size,
                            text_at(bytes, names->sh_offset + symbol->st_name)});
      }
    }
  }
  std::ranges::stable_sort(symbols_, {}, &Symbol::address);
}

std::string ElfSymbols::at(std::uint64_t offset) const {
  for (const Segment& segment : segments_) {
    if (offset < segment.offset || offset - segment.offset >= segment.bytes) continue;
    const std::uint64_t address = offset - segment.offset + segment.address;
    const auto after = std::ranges::upper_bound(symbols_, address, {}, &Symbol::address);
    if (after == symbols_.begin()) return {};
    const Symbol& symbol = *std::prev(after);
    if (symbol.bytes != 0 && address - symbol.address >= symbol.bytes) return {};
    return demangled(symbol.name);
  }
  return {};
}

}  // namespace ddm
