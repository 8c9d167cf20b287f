#include "containers/published.h"

#include <algorithm>

#include "core/whole_text.h"
#include "wire/sockets/connect.h"

namespace ddm {

std::optional<Target> published_by(const JvmProcess& jvm) {
  if (!jvm.has_agent()) return {};
  const auto own_pid = number_in<pid_t>(jvm.own_pid());
  if (!own_pid) return {};
  return published_inside(jvm.pid(), *own_pid);
}

Result<TargetAddress> address_of(const JvmProcess& jvm, const Target& target) {
  auto address = parse_address(target.address);
  if (!address) return address.error();
  return TargetAddress(std::move(*address), jvm.pid());
}

Result<FileDescriptor> connect_to_target_at(const TargetAddress& address,
                                            std::chrono::seconds patience) {
  if (address.inside == 0) return connect_to(address, patience);
  const auto jvm = JvmProcess::find(address.inside);
  if (!jvm) return jvm.error();
  return connect_inside(jvm->pid(), jvm->owner(), jvm->group(), address, patience);
}

std::vector<Target> all_targets() {
  std::vector<Target> targets = list_targets();
  for (const JvmProcess& jvm : JvmProcess::all()) {
    const bool known = std::ranges::find(targets, jvm.pid(), &Target::pid) != targets.end();
    if (known) continue;
    auto target = published_by(jvm);
    if (target && target->listens()) targets.push_back(std::move(*target));
  }
  std::ranges::stable_sort(targets, {}, &Target::pid);
  return targets;
}

}  // namespace ddm
