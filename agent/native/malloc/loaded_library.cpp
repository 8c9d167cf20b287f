#include "native/malloc/loaded_library.h"

#include <algorithm>
#include <array>

namespace ddm {
namespace {

// The loader has made addresses of these entries, but for libraries that it may not write to. Leaves
// the pointer as it is if there is no entry.
template <typename T>
void set_pointer(const T*& pointer, std::uintptr_t base, const ElfW(Dyn) * entry) {
  if (entry == nullptr) return;
  const ElfW(Addr) value = entry->d_un.d_ptr;
  pointer = reinterpret_cast<const T*>(value < base ? base + value : value);  // NOLINT
}

std::span<const ElfW(Rela)> relocations(std::uintptr_t base, const ElfW(Dyn) * begin,
                                        const ElfW(Dyn) * bytes) {
  const ElfW(Rela)* first = nullptr;
  set_pointer(first, base, begin);
  if (first == nullptr || bytes == nullptr) return {};
  return {first, bytes->d_un.d_val / sizeof(ElfW(Rela))};
}

std::uint32_t gnu_hash_of(std::string_view name) {
  std::uint32_t hash = 5381;
  for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
  return hash;
}

// { u4 buckets, u4 first symbol, u4 words of a filter, u4 shift }, the filter of 8 bytes a word,
// the buckets: the first symbol of each, and from there on a hash for each symbol, whose lowest bit
// is set for the last of a bucket.
struct GnuHashHeader {
  std::uint32_t buckets, first_symbol, filter_words, filter_shift;
};

}  // namespace

bool LoadedLibrary::holds(std::uintptr_t address) const {
  return std::ranges::any_of(headers, [&](const ElfW(Phdr) & header) {
    const std::uintptr_t begin = base + header.p_vaddr;
    return header.p_type == PT_LOAD && address >= begin && address < begin + header.p_memsz;
  });
}

DynamicSection::DynamicSection(const LoadedLibrary& library) : base_(library.base) {
  std::array<const ElfW(Dyn)*, DT_NUM> entries{};  // by tag
  for (const ElfW(Phdr) & header : library.headers) {
    if (header.p_type != PT_DYNAMIC) continue;
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(base_ + header.p_vaddr);  // NOLINT
    for (; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag > 0 && entry->d_tag < DT_NUM)
        entries[static_cast<std::size_t>(entry->d_tag)] = entry;
      if (entry->d_tag == DT_GNU_HASH) set_pointer(gnu_hash_, base_, entry);
    }
  }
  set_pointer(symbols_, base_, entries[DT_SYMTAB]);
  set_pointer(strings_, base_, entries[DT_STRTAB]);
  set_pointer(hash_, base_, entries[DT_HASH]);
  if (entries[DT_TEXTREL] != nullptr) return;
  calls_ = relocations(base_, entries[DT_JMPREL], entries[DT_PLTRELSZ]);
  addresses_ = relocations(base_, entries[DT_RELA], entries[DT_RELASZ]);
}

bool DynamicSection::is_other(std::uint32_t index, std::string_view name,
                              std::uintptr_t address) const {
  const ElfW(Sym)& symbol = symbols_[index];
  return symbol.st_shndx != SHN_UNDEF && base_ + symbol.st_value != address &&
         name_of(symbol) == name;
}

bool DynamicSection::defines_other(std::string_view name, std::uintptr_t address) const {
  if (!usable()) return false;
  if (gnu_hash_ != nullptr) {
    const auto& header = *reinterpret_cast<const GnuHashHeader*>(gnu_hash_);
    const std::uint32_t* buckets = gnu_hash_ + sizeof header / 4 + 2 * header.filter_words;
    const std::uint32_t* hashes = buckets + header.buckets;
    if (header.buckets == 0) return false;
    const std::uint32_t hash = gnu_hash_of(name);
    std::uint32_t index = buckets[hash % header.buckets];
    if (index < header.first_symbol) return false;
    for (;; ++index) {
      const std::uint32_t here = hashes[index - header.first_symbol];
      if ((here | 1) == (hash | 1) && is_other(index, name, address)) return true;
      if ((here & 1) != 0) return false;
    }
  }
  const std::uint32_t count = hash_ != nullptr ? hash_[1] : 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (is_other(i, name, address)) return true;
  }
  return false;
}

}  // namespace ddm
