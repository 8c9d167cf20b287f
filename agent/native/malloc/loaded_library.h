// A loaded library, described by the loader: its imports and its definitions.
//
// Valid while the library cannot be unloaded: in a callback of dl_iterate_phdr(), or while the
// caller holds it open. Nothing is allocated.
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace ddm {

struct LoadedLibrary {
  std::uintptr_t base = 0;
  std::span<const ElfW(Phdr)> headers;

  static LoadedLibrary of(const dl_phdr_info& info) {
    return {info.dlpi_addr, {info.dlpi_phdr, info.dlpi_phnum}};
  }
  bool holds(std::uintptr_t address) const;
};

// Calls `visit(const dl_phdr_info&)` for each loaded library, with the loader's lock held, until it
// returns true.
template <typename Visit>
void visit_libraries(Visit visit) {
  dl_iterate_phdr([](dl_phdr_info* info, std::size_t,
                     void* visitor) { return (*static_cast<Visit*>(visitor))(*info) ? 1 : 0; },
                  &visit);
}

// What PT_DYNAMIC leads to.
class DynamicSection {
 public:
  explicit DynamicSection(const LoadedLibrary& library);

  // False: there is none, or it has text relocations.
  bool usable() const { return symbols_ != nullptr && strings_ != nullptr; }

  std::span<const ElfW(Rela)> calls() const { return calls_; }          // DT_JMPREL
  std::span<const ElfW(Rela)> addresses() const { return addresses_; }  // DT_RELA

  const ElfW(Sym) & symbol_of(const ElfW(Rela) & relocation) const {
    return symbols_[ELF64_R_SYM(relocation.r_info)];
  }
  std::string_view name_of(const ElfW(Sym) & symbol) const { return strings_ + symbol.st_name; }

  // Whether a symbol of this name, of any version, has another address than this one.
  bool defines_other(std::string_view name, std::uintptr_t address) const;

 private:
  bool is_other(std::uint32_t index, std::string_view name, std::uintptr_t address) const;

  std::uintptr_t base_ = 0;
  const ElfW(Sym) * symbols_ = nullptr;
  const char* strings_ = nullptr;
  std::span<const ElfW(Rela)> calls_;
  std::span<const ElfW(Rela)> addresses_;
  const std::uint32_t* gnu_hash_ = nullptr;  // DT_GNU_HASH
  const std::uint32_t* hash_ = nullptr;      // DT_HASH, of libraries without the other
};

}  // namespace ddm
