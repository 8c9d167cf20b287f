// ddm ps: the JVMs with the agent loaded, in containers too, or all of them.
#include <algorithm>

#include "command.h"
#include "containers/published.h"
#include "json_values.h"
#include "jvm_process.h"
#include "report/report_words.h"
#include "target.h"
#include "wire/sockets/discovery.h"

namespace ddm {
namespace {

struct Listed {
  Target target;
  bool agent = true;
  bool container = false;
  std::string why = {};  // it cannot be queried
};

// With `all` the JVMs without the agent too, and those whose agent does not listen.
std::vector<Listed> list(bool all) {
  std::vector<Listed> result;
  for (Target& target : list_targets()) {  // removes the files of dead processes
    result.push_back({std::move(target)});
  }
  for (const JvmProcess& jvm : JvmProcess::all()) {
    const auto same = [&jvm](const Listed& one) { return one.target.pid == jvm.pid(); };
    if (std::ranges::any_of(result, same)) continue;
    if (auto inside = published_by(jvm); inside && inside->listens()) {
      result.push_back({std::move(*inside), true, jvm.in_container()});
      continue;
    }
    if (!all) continue;
    result.push_back(
        {{.pid = jvm.pid(), .app = jvm.app(), .address = {}, .vm = jvm.vm(), .uid = jvm.owner()},
         jvm.has_agent(),
         jvm.in_container(),
         jvm.has_agent() ? "does not listen" : "no agent"});
  }
  for (const JvmProcess::ForeignJvm& other :
       all ? JvmProcess::of_other_users() : std::vector<JvmProcess::ForeignJvm>()) {
    result.push_back(
        {{.pid = other.pid, .app = other.app, .address = {}, .vm = {}, .uid = other.owner},
         false,
         false,
         other.why});
  }
  std::ranges::stable_sort(result, {}, [](const Listed& one) { return one.target.pid; });
  return result;
}

// A reason may lose its middle on a terminal; an address, which is copied from there, never does.
std::string address_text(const Listed& one) {
  const std::string where = one.target.address.empty()
                                ? shortened(printable("(" + one.why + ")"), output_width() / 2)
                                : one.target.address;
  return one.container ? where + " in a container" : where;
}

struct PsOptions {
  bool all = false;
  bool json = false;
};

int ps(const PsOptions& options) {
  const std::vector<Listed> listed = list(options.all);
  if (options.json) {
    return print_json(json_list(listed, [&](const Listed& one) {
      const Target& target = one.target;
      Json object = {{"pid", target.pid},
                     {"app", json_text(target.app)},
                     {"address", target.address.empty() ? Json() : json_text(target.address)},
                     {"vm", json_text(target.vm)},
                     {"uid", target.uid}};
      if (one.container) object["container"] = true;
      if (options.all) object["agent"] = one.agent;
      if (options.all && !one.why.empty()) object["why"] = one.why;
      return object;
    }));
  }
  if (listed.empty() && !options.all) complain(kNoPrograms);
  TextTable table({">PID", "ADDRESS", "~VM", ".APP"});
  for (const Listed& one : listed) {
    table.add({std::to_string(one.target.pid), address_text(one), short_vm(one.target.vm),
               one.target.app});
  }
  print(table.text());
  return kExitOk;
}

}  // namespace

void add_ps(CLI::App& app, Command& chosen) {
  const auto [command, options] =
      add_command(app, chosen, "ps", "List the JVMs with the agent loaded", ps);
  add_flag(command, "--all", options.all,
           "Also list the other JVMs, in containers and of other users too, with the reason why "
           "they cannot be inspected");
  add_flag(command, "--json", options.json,
           "Array of {pid, app, address, vm, uid}, in a container with container: true; with --all "
           "{..., agent: true or false, why}");
}

}  // namespace ddm
