#include "native/library_watch.h"

#include <dlfcn.h>
#include <link.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "native/allocation_hooks.h"
#include "native/symbol_slots.h"

extern "C" {

// dlopen() as it is, and as our hook calls it.
using DdmDlopen = void*(const char*, int);
DdmDlopen* ddm_real_dlopen = nullptr;
void* ddm_dlopen_and_hook(const char* path, int flags);
int ddm_knows_path(const char* path);
void ddm_dlopen_hook();

// The loader takes a bare name for the library that calls dlopen (its RUNPATH, its name space), so
// for such names this is a mere jump: the caller stays the caller.
asm(R"(
  .pushsection .text
  .globl ddm_dlopen_hook
  .hidden ddm_dlopen_hook
  .type ddm_dlopen_hook, @function
ddm_dlopen_hook:
  .cfi_startproc
  endbr64
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  call ddm_knows_path
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  testl %eax, %eax
  jne ddm_dlopen_and_hook
  movq ddm_real_dlopen(%rip), %rax
  jmp *%rax
  .cfi_endproc
  .size ddm_dlopen_hook, . - ddm_dlopen_hook
  .popsection
)");
}

namespace ddm {
namespace {

constexpr int kIdleMillis = 100;
constexpr int kBusyMillis = 5;
constexpr int kBusyRounds = 60;  // after somebody has opened a library

int g_wake = -1;

// Never hooked: us, the unwinder, and the loader, whose malloc is its own business.
bool is_exempt(const dl_phdr_info& info, const LoadedLibrary& library) {
  const std::string_view path = info.dlpi_name;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return library.holds(reinterpret_cast<std::uintptr_t>(&g_wake)) ||
         name.starts_with("libunwind") || name.starts_with("ld-linux") ||
         name.starts_with("linux-vdso") || name.starts_with("liblzma");
}

Hook dlopen_hook() {
  return {"dlopen", reinterpret_cast<std::uintptr_t>(ddm_real_dlopen),
          reinterpret_cast<std::uintptr_t>(&ddm_dlopen_hook)};
}

void hook_library(const dl_phdr_info& info) {
  const LoadedLibrary library = LoadedLibrary::of(info);
  if (is_exempt(info, library)) return;
  redirect(library, allocation_hooks());
  const Hook opener = dlopen_hook();
  redirect(library, {&opener, 1});
}

struct LoaderCounts {
  unsigned long long added = 0;
  unsigned long long removed = 0;
  friend bool operator==(const LoaderCounts&, const LoaderCounts&) = default;
};

LoaderCounts loader_counts() {
  LoaderCounts counts;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* result) {
        *static_cast<LoaderCounts*>(result) = {info->dlpi_adds, info->dlpi_subs};
        return 1;
      },
      &counts);
  return counts;
}

void wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(g_wake, &one, sizeof one);
}

// The one library that a handle stands for. Its caller holds it open.
void hook_opened(void* handle) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* wanted) {
        const auto* opened = static_cast<const link_map*>(wanted);
        if (info->dlpi_addr != opened->l_addr ||
            std::strcmp(info->dlpi_name, opened->l_name) != 0) {
          return 0;
        }
        hook_library(*info);
        return 1;
      },
      map);
}

}  // namespace

LibraryWatch::LibraryWatch() {
  g_wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  ddm_real_dlopen = reinterpret_cast<DdmDlopen*>(dlsym(RTLD_DEFAULT, "dlopen"));
  hook_all();
}

// A library is on the loader's list before it is relocated, and then its slots must not be touched.
// Opening the program itself waits until whoever is loading something has done: all that was on the
// list before is complete then.
void LibraryWatch::hook_all() {
  struct Known {
    std::uintptr_t base;
    const ElfW(Phdr) * headers;
  };
  struct Pass {
    std::vector<Known> known;
    std::size_t found = 0;
  };
  for (;;) {
    Pass pass;
    const LoaderCounts before = loader_counts();
    pass.known.resize(4096);  // nothing is allocated while the loader's lock is held
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* result) {
          auto* const into = static_cast<Pass*>(result);
          if (into->found < into->known.size()) {
            into->known[into->found++] = {info->dlpi_addr, info->dlpi_phdr};
          }
          return 0;
        },
        &pass);
    if (void* self = dlopen(nullptr, RTLD_LAZY | RTLD_NOLOAD)) dlclose(self);
    if (loader_counts().removed != before.removed) continue;  // an address may mean another one now
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* result) {
          const auto* const from = static_cast<Pass*>(result);
          for (std::size_t i = 0; i < from->found; ++i) {
            if (from->known[i].base == info->dlpi_addr &&
                from->known[i].headers == info->dlpi_phdr) {
              hook_library(*info);
            }
          }
          return 0;
        },
        &pass);
    return;
  }
}

void LibraryWatch::run() {
  const Unsampled unsampled;
  LoaderCounts hooked{};
  int busy = kBusyRounds;
  for (;;) {
    const LoaderCounts now = loader_counts();
    if (!(now == hooked)) {
      hook_all();
      hooked = now;
      busy = kBusyRounds;
    }
    pollfd woken{g_wake, POLLIN, 0};
    poll(&woken, 1, busy > 0 ? kBusyMillis : kIdleMillis);
    busy = busy > 0 ? busy - 1 : 0;
    std::uint64_t count = 0;
    if (read(g_wake, &count, sizeof count) > 0) busy = kBusyRounds;
  }
}

}  // namespace ddm

// A path says itself which library is meant; only $ORIGIN in it does not.
int ddm_knows_path(const char* path) {
  const bool known =
      path != nullptr && std::strchr(path, '/') != nullptr && std::strchr(path, '$') == nullptr;
  if (!known) ddm::wake();
  return known ? 1 : 0;
}

void* ddm_dlopen_and_hook(const char* path, int flags) {
  void* handle = ddm_real_dlopen(path, flags);
  if (handle == nullptr) return nullptr;
  const int error = errno;
  ddm::hook_opened(handle);
  ddm::wake();
  errno = error;
  return handle;
}
