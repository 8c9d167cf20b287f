#include "vm/vm_library.h"

#include <dlfcn.h>

#include <atomic>

namespace ddm::vm_library {
namespace {

// The default is for a VM linked into the executable, whose symbols are global.
std::atomic<void*> g_handle{RTLD_DEFAULT};

}  // namespace

void find(JavaVM* vm) {
  // Agents can replace the function table of JNIEnv, but not this one.
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(vm->functions->GetEnv), &info) == 0 ||
      info.dli_fname == nullptr) {
    return;
  }
  void* handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (handle != nullptr) g_handle = handle;  // stays open: the VM is never unloaded
}

void* symbol(const char* name) { return dlsym(g_handle, name); }

}  // namespace ddm::vm_library
