#include "vm/vm_thread_list.h"

#include "core/log.h"
#include "vm/vm_structs.h"

namespace ddm {

std::optional<VmThreadList> VmThreadList::find(std::uintptr_t current) {
  const auto list = vm_structs::address_of("ThreadsSMRSupport", "_java_thread_list");
  const auto length = vm_structs::offset_of("ThreadsList", "_length");
  const auto threads = vm_structs::offset_of("ThreadsList", "_threads");
  if (!list || !length || !threads) return std::nullopt;
  const ThreadListLayout layout{*list, *length, *threads};
  // The VM publishes a new list whenever a thread starts or ends: retry.
  constexpr int kAttempts = 16;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    VmClaims claims;
    expect_in_list(claims, layout, current);
    if (claims.hold()) return VmThreadList(layout);
    if (attempt + 1 == kAttempts)
      log_warn("the VM's threads are not where {} says", claims.wrong());
  }
  return std::nullopt;
}

}  // namespace ddm
