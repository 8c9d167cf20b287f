#include "native/malloc/symbol_slots.h"

#include <sys/mman.h>

#include <atomic>
#include <string_view>

#include "core/own_memory.h"

namespace ddm {
namespace {

// Makes memory writable if the loader has made it read-only, and restores that.
class ReadOnlyAfterRelocation {
 public:
  explicit ReadOnlyAfterRelocation(const LoadedLibrary& library) {
    for (const ElfW(Phdr) & header : library.headers) {
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

class Redirection {
 public:
  Redirection(const LoadedLibrary& library, std::span<const Hook> hooks,
              const HookSet& defined_otherwise)
      : library_(library),
        section_(library),
        hooks_(hooks),
        defined_otherwise_(defined_otherwise),
        read_only_(library) {}

  std::size_t run() {
    if (!section_.usable()) return 0;
    for (const auto& relocations : {section_.calls(), section_.addresses()}) {
      for (const ElfW(Rela) & relocation : relocations) redirect_slot(relocation);
    }
    return unbound_;
  }

 private:
  void redirect_slot(const ElfW(Rela) & relocation) {
    const auto type = ELF64_R_TYPE(relocation.r_info);
    const bool call = type == R_X86_64_JUMP_SLOT;
    if (!call && type != R_X86_64_GLOB_DAT && type != R_X86_64_64) return;
    if (relocation.r_addend != 0 && !call) return;
    const ElfW(Sym)& symbol = section_.symbol_of(relocation);
    const std::string_view name = section_.name_of(symbol);
    for (std::size_t i = 0; i < hooks_.size(); ++i) {
      if (name == hooks_[i].name) return put(i, relocation, call && symbol.st_shndx == SHN_UNDEF);
    }
  }

  void put(std::size_t index, const ElfW(Rela) & relocation, bool may_be_unbound) {
    const Hook& hook = hooks_[index];
    const std::uintptr_t at = library_.base + relocation.r_offset;
    const std::atomic_ref<std::uintptr_t> slot(*reinterpret_cast<std::uintptr_t*>(at));  // NOLINT
    const std::uintptr_t now = slot.load(std::memory_order_relaxed);
    if (now != hook.real) {
      if (!may_be_unbound || !library_.holds(now)) return;
      if (defined_otherwise_[index]) {
        ++unbound_;
        return;
      }
    }
    if (read_only_.writable(at)) slot.store(hook.hook, std::memory_order_release);
  }

  const LoadedLibrary& library_;
  const DynamicSection section_;
  const std::span<const Hook> hooks_;
  const HookSet& defined_otherwise_;
  ReadOnlyAfterRelocation read_only_;
  std::size_t unbound_ = 0;
};

}  // namespace

void add_defined_otherwise(const LoadedLibrary& library, std::span<const Hook> hooks,
                           HookSet* set) {
  const DynamicSection section(library);
  for (std::size_t i = 0; i < hooks.size(); ++i) {
    if (section.defines_other(hooks[i].name, hooks[i].real)) set->set(i);
  }
}

std::size_t redirect(const LoadedLibrary& library, std::span<const Hook> hooks,
                     const HookSet& defined_otherwise) {
  return Redirection(library, hooks, defined_otherwise).run();
}

}  // namespace ddm
