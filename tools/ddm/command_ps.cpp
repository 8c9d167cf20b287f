// ddm ps: the programs that can be looked into.
#include "command.h"
#include "output.h"
#include "sockets/discovery.h"

namespace ddm {
namespace {

int ps(bool json) {
  const std::vector<Target> targets = list_targets();  // removes what dead processes left
  if (json) {
    Json list = Json::array();
    for (const Target& target : targets) {
      list.push_back({{"pid", target.pid},
                      {"app", json_text(target.app)},
                      {"address", json_text(target.address)},
                      {"vm", json_text(target.vm)},
                      {"uid", target.uid}});
    }
    print_json(list);
    return kExitOk;
  }
  TextTable table({">PID", "ADDRESS", "VM", "APP"});
  for (const Target& target : targets) {
    table.add({std::to_string(target.pid), target.address, target.vm, target.app});
  }
  print(table.text());
  return kExitOk;
}

}  // namespace

void add_ps(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand("ps", "List the programs that can be looked into");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Array of {pid, app, address, vm, uid}");
  command->callback([json, &chosen] { chosen = [json] { return ps(*json); }; });
}

}  // namespace ddm
