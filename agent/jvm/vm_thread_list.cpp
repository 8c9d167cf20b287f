#include "jvm/vm_thread_list.h"

#include "jvm/vm_structs.h"

namespace ddm {

std::optional<VmThreadList> VmThreadList::find() {
  const auto list = vm_structs::address_of("ThreadsSMRSupport", "_java_thread_list");
  const auto length = vm_structs::offset_of("ThreadsList", "_length");
  const auto threads = vm_structs::offset_of("ThreadsList", "_threads");
  if (!list || !length || !threads) return std::nullopt;
  return VmThreadList(*list, *length, *threads);
}

}  // namespace ddm
