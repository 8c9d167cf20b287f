#include "native/symbol_slots.h"

#include <sys/mman.h>

#include <atomic>
#include <string_view>

#include "native/own_memory.h"

namespace ddm {
namespace {

struct DynamicSection {
  const ElfW(Sym) * symbols = nullptr;
  const char* strings = nullptr;
  std::span<const ElfW(Rela)> calls;      // DT_JMPREL
  std::span<const ElfW(Rela)> addresses;  // DT_RELA
};

// Made writable only where the loader has made it read-only, and read-only again afterwards.
class ReadOnlyAfterRelocation {
 public:
  explicit ReadOnlyAfterRelocation(const LoadedLibrary& library) {
    for (std::size_t i = 0; i < library.header_count; ++i) {
      const ElfW(Phdr)& header = library.headers[i];
      if (header.p_type != PT_GNU_RELRO) continue;
      const std::uintptr_t begin = library.base + header.p_vaddr;
      begin_ = begin / kPage * kPage;
      end_ = (begin + header.p_memsz) / kPage * kPage;
    }
  }
  ~ReadOnlyAfterRelocation() {
    if (open_) protect(PROT_READ);
  }
  ReadOnlyAfterRelocation(const ReadOnlyAfterRelocation&) = delete;
  ReadOnlyAfterRelocation& operator=(const ReadOnlyAfterRelocation&) = delete;

  bool writable(std::uintptr_t address) {
    if (address < begin_ || address >= end_ || open_) return true;
    open_ = protect(PROT_READ | PROT_WRITE);
    return open_;
  }

 private:
  bool protect(int rights) const {
    return mprotect(reinterpret_cast<void*>(begin_), end_ - begin_, rights) == 0;  // NOLINT
  }

  std::uintptr_t begin_ = 0;
  std::uintptr_t end_ = 0;
  bool open_ = false;
};

// The loader has made addresses of these entries, but for libraries that it may not write to.
template <typename T>
const T* pointer(const LoadedLibrary& library, ElfW(Addr) value) {
  return reinterpret_cast<const T*>(value < library.base ? library.base + value : value);  // NOLINT
}

DynamicSection dynamic_section(const LoadedLibrary& library) {
  DynamicSection found;
  const ElfW(Rela)* calls = nullptr;
  const ElfW(Rela)* addresses = nullptr;
  std::size_t call_bytes = 0;
  std::size_t address_bytes = 0;
  for (std::size_t i = 0; i < library.header_count; ++i) {
    if (library.headers[i].p_type != PT_DYNAMIC) continue;
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(  // NOLINT
        library.base + library.headers[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      switch (entry->d_tag) {
        case DT_SYMTAB:
          found.symbols = pointer<ElfW(Sym)>(library, entry->d_un.d_ptr);
          break;
        case DT_STRTAB:
          found.strings = pointer<char>(library, entry->d_un.d_ptr);
          break;
        case DT_JMPREL:
          calls = pointer<ElfW(Rela)>(library, entry->d_un.d_ptr);
          break;
        case DT_PLTRELSZ:
          call_bytes = entry->d_un.d_val;
          break;
        case DT_RELA:
          addresses = pointer<ElfW(Rela)>(library, entry->d_un.d_ptr);
          break;
        case DT_RELASZ:
          address_bytes = entry->d_un.d_val;
          break;
        case DT_TEXTREL:
          return {};
        default:
          break;
      }
    }
  }
  if (calls != nullptr) found.calls = {calls, call_bytes / sizeof(ElfW(Rela))};
  if (addresses != nullptr) found.addresses = {addresses, address_bytes / sizeof(ElfW(Rela))};
  return found;
}

const Hook* find_hook(std::string_view name, std::span<const Hook> hooks) {
  for (const Hook& hook : hooks) {
    if (name == hook.name) return &hook;
  }
  return nullptr;
}

class Redirection {
 public:
  Redirection(const LoadedLibrary& library, std::span<const Hook> hooks)
      : library_(library), hooks_(hooks), read_only_(library) {}

  std::size_t run() {
    const DynamicSection section = dynamic_section(library_);
    if (section.symbols == nullptr || section.strings == nullptr) return 0;
    for (const auto& relocations : {section.calls, section.addresses}) {
      for (const ElfW(Rela) & relocation : relocations) look_at(section, relocation);
    }
    return changed_;
  }

 private:
  void look_at(const DynamicSection& section, const ElfW(Rela) & relocation) {
    const auto type = ELF64_R_TYPE(relocation.r_info);
    const bool call = type == R_X86_64_JUMP_SLOT;
    if (!call && type != R_X86_64_GLOB_DAT && type != R_X86_64_64) return;
    if (relocation.r_addend != 0 && !call) return;
    const ElfW(Sym)& symbol = section.symbols[ELF64_R_SYM(relocation.r_info)];
    const Hook* hook = find_hook(section.strings + symbol.st_name, hooks_);
    if (hook == nullptr) return;
    const std::uintptr_t at = library_.base + relocation.r_offset;
    const std::atomic_ref<std::uintptr_t> slot(*reinterpret_cast<std::uintptr_t*>(at));  // NOLINT
    const std::uintptr_t now = slot.load(std::memory_order_relaxed);
    const bool unbound = call && symbol.st_shndx == SHN_UNDEF && library_.holds(now);
    if ((now != hook->real && !unbound) || !read_only_.writable(at)) return;
    slot.store(hook->hook, std::memory_order_release);
    ++changed_;
  }

  const LoadedLibrary& library_;
  const std::span<const Hook> hooks_;
  ReadOnlyAfterRelocation read_only_;
  std::size_t changed_ = 0;
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

std::size_t redirect(const LoadedLibrary& library, std::span<const Hook> hooks) {
  return Redirection(library, hooks).run();
}

}  // namespace ddm
