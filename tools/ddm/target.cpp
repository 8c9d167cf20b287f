#include "target.h"

#include <string>

#include "core/whole_text.h"
#include "jvm_process.h"

namespace ddm {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

Result<Address> address_of_pid(std::string_view text) {
  const pid_t pid = number_in<pid_t>(text).value_or(0);
  const std::string name(text);
  if (pid <= 0) return Error{name + " is not a valid pid"};
  for (const Target& target : list_targets()) {
    if (target.pid == pid) return parse_address(target.address);
  }
  if (!process_start_time(pid)) return Error{"there is no process " + name};
  // Advice to attach is for what can be attached to: a HotSpot JVM of this user.
  const auto jvm = JvmProcess::find(pid);
  if (!jvm) return jvm.error();
  if (jvm->has_agent()) {
    return Error{"the agent in process " + name +
                 " does not listen (address=none, or it could not)"};
  }
  return Error{"process " + name + " has no agent that listens; `ddm ps` lists those that have, " +
               "`ddm attach " + name + "` loads one"};
}

}  // namespace

Result<Address> find_target(std::string_view text) {
  if (is_number(text)) return address_of_pid(text);
  auto address = parse_address(text);
  if (!address && text.find(':') != std::string_view::npos) return address;
  const bool whole = address && (address->kind == Address::Kind::kUnix ||
                                 (address->kind == Address::Kind::kTcp && address->port != 0));
  if (!whole) {
    return Error{"'" + std::string(text) +
                 "' is not a target: give a pid (see `ddm ps`), HOST:PORT or unix:PATH"};
  }
  return address;
}

Result<DdmClient> connect_to_target(std::string_view text) {
  const auto address = find_target(text);
  if (!address) return address.error();
  return DdmClient::connect(*address);
}

}  // namespace ddm
