#include "adapters/hprof/loaded_name.h"

#include <dlfcn.h>

namespace ddm {

bool is_hprof_name(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);  // npos + 1 = 0
  return name.starts_with("libhprof.") || name == "libhprof";
}

bool loaded_as_hprof() {
  Dl_info info{};
  const bool known = dladdr(reinterpret_cast<const void*>(&loaded_as_hprof), &info) != 0;
  return known && info.dli_fname != nullptr && is_hprof_name(info.dli_fname);
}

}  // namespace ddm
