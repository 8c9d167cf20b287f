#include "native/malloc/loaded_library.h"

namespace ddm {
namespace {

// The loader has made addresses of these entries, but for libraries that it may not write to.
template <typename T>
const T* pointer(std::uintptr_t base, ElfW(Addr) value) {
  return reinterpret_cast<const T*>(value < base ? base + value : value);  // NOLINT
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
  for (std::size_t i = 0; i < header_count; ++i) {
    const std::uintptr_t begin = base + headers[i].p_vaddr;
    if (headers[i].p_type == PT_LOAD && address >= begin && address < begin + headers[i].p_memsz) {
      return true;
    }
  }
  return false;
}

DynamicSection::DynamicSection(const LoadedLibrary& library) : base_(library.base) {
  const ElfW(Rela)* calls = nullptr;
  const ElfW(Rela)* addresses = nullptr;
  std::size_t call_bytes = 0;
  std::size_t address_bytes = 0;
  bool writes_code = false;
  for (std::size_t i = 0; i < library.header_count; ++i) {
    if (library.headers[i].p_type != PT_DYNAMIC) continue;
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(  // NOLINT
        base_ + library.headers[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      switch (entry->d_tag) {
        case DT_SYMTAB:
          symbols_ = pointer<ElfW(Sym)>(base_, entry->d_un.d_ptr);
          break;
        case DT_STRTAB:
          strings_ = pointer<char>(base_, entry->d_un.d_ptr);
          break;
        case DT_GNU_HASH:
          gnu_hash_ = pointer<std::uint32_t>(base_, entry->d_un.d_ptr);
          break;
        case DT_HASH:
          hash_ = pointer<std::uint32_t>(base_, entry->d_un.d_ptr);
          break;
        case DT_JMPREL:
          calls = pointer<ElfW(Rela)>(base_, entry->d_un.d_ptr);
          break;
        case DT_PLTRELSZ:
          call_bytes = entry->d_un.d_val;
          break;
        case DT_RELA:
          addresses = pointer<ElfW(Rela)>(base_, entry->d_un.d_ptr);
          break;
        case DT_RELASZ:
          address_bytes = entry->d_un.d_val;
          break;
        case DT_TEXTREL:
          writes_code = true;
          break;
        default:
          break;
      }
    }
  }
  if (writes_code) return;
  if (calls != nullptr) calls_ = {calls, call_bytes / sizeof(ElfW(Rela))};
  if (addresses != nullptr) addresses_ = {addresses, address_bytes / sizeof(ElfW(Rela))};
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
