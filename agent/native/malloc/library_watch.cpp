#include "native/malloc/library_watch.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "native/malloc/allocation_hooks.h"
#include "native/malloc/symbol_slots.h"

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

constexpr std::chrono::milliseconds kIdle{100}, kBusy{5};
constexpr int kBusyScans = 60;  // after a library was opened

// Unbound slots are checked again after this many scans.
constexpr unsigned kScansToUnbound = 5;

// Hooks may request a scan for as long as the process lives. Null: there is no scanning.
std::atomic<Chores::Handle>& g_chore = *new std::atomic<Chores::Handle>;
std::atomic<bool> g_called{false};

// Never hooked: us, the unwinder, and the loader, whose malloc is its own business.
bool is_exempt(const dl_phdr_info& info, const LoadedLibrary& library) {
  const std::string_view path = info.dlpi_name;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return library.holds(reinterpret_cast<std::uintptr_t>(&g_called)) ||
         name.starts_with("libunwind") || name.starts_with("ld-linux") ||
         name.starts_with("linux-vdso") || name.starts_with("liblzma");
}

// The hooked functions of which there is more than one in this process.
HookSet functions_defined_twice() {
  HookSet set;
  visit_libraries([&](const dl_phdr_info& info) {
    const LoadedLibrary library = LoadedLibrary::of(info);
    // Ours are not seen from outside.
    if (!library.holds(reinterpret_cast<std::uintptr_t>(&g_called))) {
      add_defined_otherwise(library, all_hooks(), &set);
    }
    return false;
  });
  return set;
}

// How many slots are to be looked at again.
std::size_t hook_library(const dl_phdr_info& info, const HookSet& defined_twice) {
  const LoadedLibrary library = LoadedLibrary::of(info);
  if (is_exempt(info, library)) return 0;
  return redirect(library, all_hooks(), defined_twice);
}

LoaderCounts loader_counts() {
  LoaderCounts counts;
  visit_libraries([&](const dl_phdr_info& info) {
    counts = {info.dlpi_adds, info.dlpi_subs};
    return true;
  });
  return counts;
}

void request_scan() {
  const Chores::Handle chore = g_chore;
  if (chore == nullptr) return;
  g_called = true;
  Chores::of_process().hasten(*chore);
}

// The one library that a handle stands for. Its caller holds it open.
void hook_opened(void* handle) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return;
  const HookSet defined_twice = functions_defined_twice();
  visit_libraries([&](const dl_phdr_info& info) {
    const bool is_it =
        info.dlpi_addr == map->l_addr && std::strcmp(info.dlpi_name, map->l_name) == 0;
    // The loader's lock is held, and stop() precedes unhook(): what is hooked here before stop() is
    // seen by unhook(), and nothing is hooked after it.
    if (is_it && g_chore.load() != nullptr) hook_library(info, defined_twice);
    return is_it;
  });
}

// Opening the program itself waits until whoever is loading something has done.
void wait_for_whoever_is_loading() {
  if (void* self = dlopen(nullptr, RTLD_LAZY | RTLD_NOLOAD)) dlclose(self);
}

}  // namespace

LibraryWatch::LibraryWatch() {
  ddm_real_dlopen = reinterpret_cast<DdmDlopen*>(dlsym(RTLD_DEFAULT, "dlopen"));
  add_hook({"dlopen", reinterpret_cast<std::uintptr_t>(ddm_real_dlopen),
            reinterpret_cast<std::uintptr_t>(&ddm_dlopen_hook)});
}

// A library's slot that holds a hook gets what the hook stands in front of; no other one changes.
void LibraryWatch::unhook() {
  const Unsampled unsampled;
  std::vector<Hook> back(all_hooks().begin(), all_hooks().end());
  for (Hook& hook : back) std::swap(hook.real, hook.hook);
  HookSet leave_unbound;
  leave_unbound.set();
  wait_for_whoever_is_loading();
  visit_libraries([&](const dl_phdr_info& info) {
    const LoadedLibrary library = LoadedLibrary::of(info);
    if (!is_exempt(info, library)) redirect(library, back, leave_unbound);
    return false;
  });
}

// A library is on the loader's list before it is relocated, and then its slots must not be touched:
// only what was listed before the loader had done with all that it was at is complete.
void LibraryWatch::hook() {
  struct Listed {
    std::uintptr_t base;
    const ElfW(Phdr) * headers;
  };
  constexpr std::size_t kMost = 4096;
  std::vector<Listed> listed;
  listed.reserve(kMost);  // nothing is allocated while the loader's lock is held
  LoaderCounts then;
  do {
    listed.clear();
    visit_libraries([&](const dl_phdr_info& info) {
      if (listed.size() < kMost) listed.push_back({info.dlpi_addr, info.dlpi_phdr});
      then = {info.dlpi_adds, info.dlpi_subs};
      return false;
    });
    wait_for_whoever_is_loading();
    // Where one has gone since, an address may mean another library now.
  } while (loader_counts().removed != then.removed);
  const HookSet defined_twice = functions_defined_twice();
  unbound_ = 0;
  visit_libraries([&](const dl_phdr_info& info) {
    const bool is_listed = std::ranges::any_of(listed, [&](const Listed& one) {
      return one.base == info.dlpi_addr && one.headers == info.dlpi_phdr;
    });
    if (is_listed) unbound_ += hook_library(info, defined_twice);
    return false;
  });
}

Chores::Clock::time_point LibraryWatch::scan() {
  const Unsampled unsampled;
  const bool called = g_called.exchange(false);
  const LoaderCounts now = loader_counts();
  const bool changed = !(now == hooked_);
  if (changed || (unbound_ > 0 && scans_ % kScansToUnbound == 0)) hook();
  hooked_ = now;
  ++scans_;
  busy_ = changed || called ? kBusyScans : std::max(busy_ - 1, 0);
  return Chores::Clock::now() + (busy_ > 0 ? kBusy : kIdle);
}

bool LibraryWatch::start() {
  const auto chore = Chores::of_process().add([this] { return std::optional(scan()); }, {});
  g_chore = chore;
  return chore != nullptr;
}

void LibraryWatch::stop(bool wait) {
  if (const auto chore = g_chore.exchange(nullptr)) Chores::of_process().end(chore, wait);
}

}  // namespace ddm

// A path says itself which library is meant; only $ORIGIN in it does not.
int ddm_knows_path(const char* path) {
  const bool known =
      path != nullptr && std::strchr(path, '/') != nullptr && std::strchr(path, '$') == nullptr;
  if (!known) ddm::request_scan();
  return known ? 1 : 0;
}

void* ddm_dlopen_and_hook(const char* path, int flags) {
  void* handle = ddm_real_dlopen(path, flags);
  if (handle == nullptr) return nullptr;
  const int error = errno;
  ddm::hook_opened(handle);
  ddm::request_scan();
  errno = error;
  return handle;
}
