#include "command_line.h"

#include <algorithm>
#include <csignal>
#include <exception>
#include <sstream>
#include <string>
#include <vector>

#include "command.h"
#include "completion.h"
#include "help_format.h"
#include "manual.h"
#include "output.h"

namespace ddm {
namespace {

// The first word, if it is neither an option nor a command: CLI11 would only miss a command.
std::string unknown_command(const CLI::App& app, const std::vector<std::string>& arguments) {
  const std::string word = arguments.empty() ? "" : arguments[0];
  if (word.empty() || word[0] == '-') return {};
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == word) return {};
  }
  return word;
}

// `ddm help` and `ddm help COMMAND` as `ddm --help` and `ddm COMMAND --help`.
std::vector<std::string> arguments_of(int argc, char** argv) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (!arguments.empty() && arguments[0] == "help") {
    arguments.erase(arguments.begin());
    arguments.resize(std::min<std::size_t>(arguments.size(), 1));
    arguments.emplace_back("--help");
  }
  return arguments;
}

// What is installed beside the command: `ddm help --man`, `--bash`, `--zsh`. "": something else is
// asked for.
std::string installed_text(const CLI::App& app, int argc, char** argv) {
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (arguments.size() != 2 || arguments[0] != "help") return {};
  if (arguments[1] == "--man") return manual_page(app, DDM_VERSION);
  if (arguments[1] == "--bash") return bash_completion(app);
  return arguments[1] == "--zsh" ? zsh_completion(app) : std::string();
}

}  // namespace

int run_command_line(int argc, char** argv) {
  // A reader that has enough (`ddm allocs 1 | head`) is told by the failed write, not by a signal.
  std::signal(SIGPIPE, SIG_IGN);

  CLI::App app("Shows what Java programs do that run with the agent libddmagent.", "ddm");
  app.formatter(std::make_shared<HelpFormat>());
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.set_version_flag("--version", "ddm " DDM_VERSION, "Print the version and exit");
  app.require_subcommand(1);
  Command chosen;
  for (AddCommand* add :
       {add_ps,     add_info,  add_threads, add_stack,   add_heap, add_gc,     add_locks,
        add_track,  add_trace, add_probe,   add_allocs,  add_live, add_leaks,  add_paths,
        add_record, add_dump,  add_sites,   add_recover, add_gate, add_native, add_top_command,
        add_attach, add_serve, add_bridge,  add_dyper,   add_send}) {
    add(app, chosen);
  }

  app.footer(
      "`ddm help COMMAND` tells of one. `ddm help --man`, `--bash` and `--zsh` write\n"
      "the manual page and what completes command lines in these shells; packages\n"
      "install them.");
  if (const std::string text = installed_text(app, argc, argv); !text.empty()) {
    print(text);
    return output_complete() ? kExitOk : kExitRefused;
  }
  std::vector<std::string> arguments = arguments_of(argc, argv);
  if (const std::string word = unknown_command(app, arguments); !word.empty()) {
    return misused("there is no command '" + word + "'; `ddm --help` lists them");
  }
  try {
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& problem) {
    std::ostringstream help;
    if (app.exit(problem, help, help) != 0) {
      return misused(problem.what() + std::string("; see `ddm --help`, `ddm COMMAND --help`"));
    }
    print(help.str());
    return output_complete() ? kExitOk : kExitRefused;
  }
  try {
    const int code = chosen();
    return output_complete() ? code : kExitRefused;
  } catch (const std::exception& failure) {  // no memory, in practice
    return refuse(failure.what());
  }
}

}  // namespace ddm
