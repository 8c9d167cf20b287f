// ddm: looks into JVMs that run under libddmagent, and shows them to adb.
#include <csignal>
#include <exception>
#include <sstream>

#include "command.h"
#include "help_format.h"
#include "output.h"

namespace {

// The first word, if it is neither an option nor a command: CLI11 would only miss a command.
std::string unknown_command(const CLI::App& app, int argc, char** argv) {
  const std::string word = argc > 1 ? argv[1] : "";
  if (word.empty() || word[0] == '-') return {};
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == word) return {};
  }
  return word;
}

}  // namespace

int main(int argc, char** argv) {
  // A reader that has enough (`ddm allocs 1 | head`) is told by the failed write, not by a signal.
  std::signal(SIGPIPE, SIG_IGN);

  CLI::App app("Shows what Java programs do that run with the agent libddmagent.", "ddm");
  app.formatter(std::make_shared<ddm::HelpFormat>());
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.set_version_flag("--version", "ddm " DDM_VERSION, "Print the version and exit");
  app.require_subcommand(1);
  ddm::Command chosen;
  using namespace ddm;
  for (AddCommand* add :
       {add_ps,     add_info,   add_threads, add_stack,   add_heap, add_gc,     add_locks,
        add_track,  add_trace,  add_probe,   add_allocs,  add_live, add_leaks,  add_paths,
        add_record, add_dump,   add_sites,   add_recover, add_gate, add_native, add_top_command,
        add_attach, add_bridge, add_dyper,   add_send}) {
    add(app, chosen);
  }

  if (const std::string word = unknown_command(app, argc, argv); !word.empty()) {
    return ddm::misused("there is no command '" + word + "'; `ddm --help` lists them");
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    std::ostringstream help;
    if (app.exit(problem, help, help) != 0) {
      return ddm::misused(problem.what() + std::string("; see `ddm --help`, `ddm COMMAND --help`"));
    }
    ddm::print(help.str());
    return ddm::output_complete() ? ddm::kExitOk : ddm::kExitRefused;
  }
  try {
    const int code = chosen();
    return ddm::output_complete() ? code : ddm::kExitRefused;
  } catch (const std::exception& failure) {  // no memory, in practice
    return ddm::refuse(failure.what());
  }
}
