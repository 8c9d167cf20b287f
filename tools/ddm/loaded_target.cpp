#include "loaded_target.h"

#include "attach.h"
#include "core/whole_text.h"
#include "target.h"
#include "wire/sockets/discovery.h"

namespace ddm {

Result<TargetAddress> find_or_load(std::string& target, const std::string& agent,
                                   const std::string& options, bool& loaded) {
  auto named = resolve_target(target);
  if (!named) return named.error();
  target = std::move(*named);
  auto known = find_target(target);
  const pid_t pid = number_in<pid_t>(target).value_or(0);
  if (known || pid <= 0 || !process_start_time(pid)) return known;
  const auto jvm = JvmProcess::find(pid);
  if (!jvm) return jvm.error();
  if (jvm->has_agent()) return known;
  const auto library = agent_path(agent);
  if (!library) return library.error();
  if (auto problem = load_agent(*jvm, *library, options)) return std::move(*problem);
  loaded = true;
  return find_target(target);
}

}  // namespace ddm
