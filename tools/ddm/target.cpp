#include "target.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "attach.h"
#include "containers/published.h"
#include "core/whole_text.h"
#include "jvm_process.h"
#include "output.h"

namespace ddm {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

Result<TargetAddress> address_of_pid(std::string_view text) {
  const pid_t pid = number_in<pid_t>(text).value_or(0);
  const std::string name(text);
  if (pid <= 0) return Error{name + " is not a valid pid"};
  for (const Target& target : list_targets()) {
    if (target.pid != pid) continue;
    auto address = parse_address(target.address);
    if (!address) return address.error();
    return TargetAddress(std::move(*address));
  }
  if (!process_start_time(pid)) return Error{"there is no process " + name};
  // The advice to attach is given for HotSpot JVMs of this user only.
  const auto jvm = JvmProcess::find(pid);
  if (!jvm) return jvm.error();
  if (const auto target = published_by(*jvm); target && target->listens()) {
    return address_of(*jvm, *target);
  }
  if (jvm->has_agent()) {
    return Error{"the agent in process " + name +
                 " does not listen (address=none, it could not, or it is ending), or its discovery "
                 "file could not be written"};
  }
  return Error{"process " + name + " has no agent that listens; `ddm ps` lists those that have, " +
               "`ddm attach " + name + "` loads one"};
}

struct Program {
  pid_t pid;
  std::string app;
};

std::vector<Program> programs_with_agent() {
  std::vector<Program> programs;
  for (const Target& target : all_targets()) programs.push_back({target.pid, target.app});
  return programs;
}

// Those without the agent too. One that serves DYPER alone has published the name that name= gave.
std::vector<Program> all_programs() {
  std::vector<Program> programs;
  for (const Target& target : published_targets()) {
    if (!target.listens()) programs.push_back({target.pid, target.app});
  }
  for (const JvmProcess& jvm : JvmProcess::all()) {
    const bool known = std::ranges::find(programs, jvm.pid(), &Program::pid) != programs.end();
    if (!known) programs.push_back({jvm.pid(), jvm.app()});
  }
  return programs;
}

bool is_at(const Address& address, const Address& asked) {
  const bool any = address.host == "0.0.0.0" || address.host == "::";
  return address == asked ||
         (address.kind == Address::Kind::kTcp && asked.kind == Address::Kind::kTcp &&
          address.port == asked.port && is_loopback(asked) && (any || is_loopback(address)));
}

// 0: none that is known.
pid_t listener_at(const Address& asked) {
  const char* const kind = asked.kind == Address::Kind::kUnix ? "mnt" : "net";
  for (const Target& target : all_targets()) {
    const auto address = parse_address(target.address);
    if (address && is_at(*address, asked) && !in_other_namespace(target.pid, kind)) {
      return target.pid;
    }
  }
  return 0;
}

// `target`: as resolve_target() has it.
Result<DdmClient> connected(const std::string& target, const TargetAddress& address) {
  auto client = DdmClient::connect(address);
  if (client) {
    const auto pid = number_in<pid_t>(target);
    client->belongs_to(TargetProcess(pid ? *pid : listener_at(address)));
  }
  return client;
}

// `inside`: as TargetAddress has it.
std::optional<TargetAddress> dyper_alone(const Target& target, pid_t inside) {
  const auto address = parse_address(target.dyper);
  if (target.listens() || !address) return {};
  return TargetAddress(*address, inside);
}

// One that has two names in the list is found once.
std::vector<Program> programs_named(std::string_view part, const std::vector<Program>& programs) {
  std::vector<Program> found, exact;
  const auto add = [](std::vector<Program>& list, const Program& program) {
    if (std::ranges::find(list, program.pid, &Program::pid) == list.end()) list.push_back(program);
  };
  for (const Program& program : programs) {
    if (program.app.find(part) != std::string::npos) add(found, program);
    if (program.app == part) add(exact, program);
  }
  return exact.size() == 1 ? exact : found;
}

std::string list_of(const std::vector<Program>& programs) {
  std::vector<std::string> names;
  for (const auto& [pid, app] : programs) names.push_back(printable_format("{} ({})", pid, app));
  return listed(names, 5);
}

// The pid of the one that is found. `all`: those to choose from.
Result<std::string> only_one(std::string_view text, const std::vector<Program>& found,
                             const std::vector<Program>& all) {
  if (found.size() == 1) return std::to_string(found.front().pid);
  const std::string none = "there is no JVM here that can be asked";
  if (text.empty()) {
    return Error{found.empty() ? none
                               : "there are several JVMs: " + list_of(found) + "; say which"};
  }
  if (!found.empty()) {
    return Error{"'" + std::string(text) + "' may be " + list_of(found)};
  }
  return Error{"'" + std::string(text) +
               "' is no pid, HOST:PORT or unix:PATH, and part of no program's name; " +
               (all.empty() ? none : "there are " + list_of(all))};
}

}  // namespace

std::string in_file_name(std::string_view target) {
  std::string name;
  for (const char c : target) {
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' ? c : '-';
  }
  return name;
}

bool is_target(std::string_view text) {
  return is_number(text) || text.find(':') != std::string_view::npos;
}

Result<std::string> resolve_target(std::string_view text) {
  if (is_target(text)) return std::string(text);
  std::vector<Program> all = programs_with_agent();
  std::vector<Program> found = programs_named(text, all);
  if (found.empty()) {
    std::vector<Program> every = all_programs();
    found = programs_named(text, every);
    if (all.empty()) all = std::move(every);
  }
  return only_one(text, found, all);
}

Result<std::string> resolve_jvm(std::string_view text) {
  if (is_number(text)) return std::string(text);
  if (is_target(text)) {
    const auto address = parse_address(text);
    const pid_t listener = address ? listener_at(*address) : 0;
    return listener != 0 ? std::to_string(listener) : std::string(text);
  }
  const std::vector<Program> all = all_programs();
  std::vector<Program> by_both_names = programs_with_agent();
  by_both_names.insert(by_both_names.end(), all.begin(), all.end());
  return only_one(text, programs_named(text, by_both_names), all);
}

bool names_program(std::string_view text) {
  // Where there is only one it may be left out, and what follows may be a class of its name, as a
  // program's main class is.
  const bool may_be_left_out = resolve_target("").ok();
  if (may_be_left_out && text.find('.') != std::string_view::npos) return false;
  const auto is_named = [&](const Program& program) {
    return may_be_left_out ? program.app == text : program.app.find(text) != std::string::npos;
  };
  return std::ranges::any_of(programs_with_agent(), is_named) ||
         std::ranges::any_of(all_programs(), is_named);
}

Result<TargetAddress> find_target(std::string_view text) {
  const auto named = resolve_target(text);
  if (!named) return named.error();
  if (is_number(*named)) return address_of_pid(*named);
  constexpr const char* kRight = "give a pid (see `ddm ps`), HOST:PORT or unix:PATH";
  auto address = parse_address(*named);
  if (!address) {  // its advice is for the agent's options
    const std::string why = address.message();
    return Error{why.substr(0, why.rfind("; use ")) + "; " + kRight};
  }
  const bool whole = address->kind == Address::Kind::kUnix ||
                     (address->kind == Address::Kind::kTcp && address->port != 0);
  if (!whole) {
    return Error{"'" + std::string(text) + "' is not a target: " + kRight};
  }
  return TargetAddress(std::move(*address));
}

Result<DdmClient> connect_to_target(std::string_view text) {
  const auto named = resolve_target(text);
  if (!named) return named.error();
  const auto address = find_target(*named);
  if (!address) return address.error();
  return connected(*named, *address);
}

std::optional<TargetAddress> find_dyper_alone(std::string_view text) {
  const auto named = resolve_target(text);
  const pid_t pid = named ? number_in<pid_t>(*named).value_or(0) : 0;
  const std::vector<Target> published = published_targets();
  const auto found = std::ranges::find(published, pid, &Target::pid);
  if (found != published.end()) return dyper_alone(*found, 0);
  const auto jvm = JvmProcess::find(pid);
  const auto inside = jvm ? published_by(*jvm) : std::nullopt;
  return inside ? dyper_alone(*inside, pid) : std::nullopt;
}

Result<DdmClient> connect_or_load(std::string& target, const std::string& agent, bool& loaded) {
  auto named = resolve_target(target);
  if (!named) return named.error();
  target = std::move(*named);
  auto address = find_target(target);
  const pid_t pid = number_in<pid_t>(target).value_or(0);
  if (!address && pid > 0 && process_start_time(pid)) {
    const auto jvm = JvmProcess::find(pid);
    if (!jvm) return jvm.error();
    if (jvm->has_agent()) return address.error();
    const auto library = agent_path(agent);
    if (!library) return library.error();
    if (auto problem = load_agent(*jvm, *library, "dump=none")) return std::move(*problem);
    loaded = true;
    address = find_target(target);
  }
  if (!address) return address.error();
  return connected(target, *address);
}

}  // namespace ddm
