#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <exception>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "command.h"
#include "command_examples.h"
#include "installed_texts.h"

namespace ddm {
namespace {

constexpr std::size_t kHelpWidth = 80;
constexpr std::size_t kHelpIndent = 20;

std::string help_entry(const std::string& name, const std::string& meaning) {
  std::string out = fmt::format("  {:<{}}", name, kHelpIndent - 2);
  if (name.size() + 4 > kHelpIndent) out = fmt::format("  {}\n{:{}}", name, "", kHelpIndent);
  return out + wrapped(meaning, kHelpIndent, kHelpWidth) + "\n";
}

// CLI11's pages, but within 80 columns.
class HelpFormat : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    std::string name = make_option_name(option, is_positional);
    const bool has_value = option->get_type_size() != 0;
    const std::string type = option->get_type_name();  // "WHAT:{its,values}"
    if (has_value && !is_positional) name += " " + type.substr(0, type.find(':'));
    return help_entry(name, meaning_of(*option));
  }
  std::string make_subcommand(const CLI::App* command) const override {
    return help_entry(command->get_display_name(true), command->get_description());
  }
};

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

// The command whose PID was left out, which means the only program: its words are one too few, and the
// first of them is no program. "": another error.
std::string command_without_pid(const CLI::App& app) {
  if (app.get_subcommands().empty()) return {};
  const CLI::App& command = *app.get_subcommands().front();
  const CLI::Option* const pid = command.get_option_no_throw("PID");
  // A program that is changed for good is named.
  if (pid == nullptr || !pid->get_required() || command.get_name() == "attach") return {};
  const std::string first = pid->empty() ? "" : pid->as<std::string>();
  if (is_target(first) || (!first.empty() && names_program(first))) return {};
  return command.get_name();
}

void parse(CLI::App& app, std::vector<std::string> arguments) {
  std::ranges::reverse(arguments);  // as CLI11 takes them
  app.parse(std::move(arguments));
}

// What the parser refuses.
int told(const CLI::App& app, const CLI::ParseError& problem) {
  const auto chosen = app.get_subcommands();
  const std::string command = chosen.empty() ? "" : chosen.front()->get_name();
  const std::vector<std::string> unused = app.remaining(true);
  if (chosen.empty() && unused.empty()) return bad_command_line("a command is missing", command);
  // With an option that it does not know, CLI11 would rather miss the command.
  const bool surplus = problem.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
  if (unused.empty() || !(surplus || chosen.empty())) {
    return bad_command_line(problem.what(), command);
  }
  const std::string& word = unused.front();
  return bad_command_line(word.starts_with('-') ? fmt::format("there is no option '{}'", word)
                                                : fmt::format("'{}' is one word too many", word),
                          command);
}

// The texts that packages install: `ddm help --man`, `--bash`, `--zsh`. "": another command line.
std::string installed_text(const CLI::App& app, int argc, char** argv) {
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (arguments.size() != 2 || arguments[0] != "help") return {};
  if (arguments[1] == "--man") return manual_page(app, DDM_VERSION);
  if (arguments[1] == "--bash") return bash_completion(app);
  return arguments[1] == "--zsh" ? zsh_completion(app) : std::string();
}

void add_examples(CLI::App& command) {
  std::string footer = command.get_footer();
  if (!footer.empty()) footer += "\n\n";
  footer += "Examples:";
  for (const std::string_view line : examples_of(command.get_name())) {
    footer += fmt::format("\n  {}", line);
  }
  command.footer(footer);
}

std::unique_ptr<CLI::App> make_app(Command& chosen) {
  auto app = std::make_unique<CLI::App>(
      "Inspects Java programs that run with the agent libddmagent.", "ddm");
  app->formatter(std::make_shared<HelpFormat>());
  app->set_help_flag("-h,--help", "Print this help and exit");
  app->set_version_flag("--version", "ddm " DDM_VERSION, "Print the version and exit");
  app->require_subcommand(1);
  struct Group {
    const char* title;
    std::vector<AddCommand*> commands;
  };
  const Group groups[] = {
      {"Programs", {add_ps, add_top_command, add_info, add_threads, add_stack, add_attach}},
      {"Allocations and live objects",
       {add_allocs, add_live, add_leaks, add_record, add_track, add_recover, add_gate}},
      {"Time", {add_trace, add_probe, add_locks}},
      {"Memory", {add_heap, add_gc, add_dump, add_sites, add_paths, add_native}},
      {"Servers and protocols", {add_serve, add_bridge, add_dyper, add_send}}};
  for (const Group& group : groups) {
    for (AddCommand* add : group.commands) {
      add(*app, chosen);
      CLI::App& command = *app->get_subcommands({}).back();
      command.group(group.title);
      add_examples(command);
    }
  }

  app->footer(
      "`ddm help COMMAND` describes a command. `ddm help --man`, `--bash` and `--zsh`\n"
      "print the manual page and the shells' completions, which packages install.");
  return app;
}

}  // namespace

CLI::App& add_command(CLI::App& app, Command& chosen, const char* name, const char* meaning,
                      Command run) {
  CLI::App* command = app.add_subcommand(name, meaning);
  command->callback([run = std::move(run), &chosen] { chosen = run; });
  return *command;
}

int bad_command_line(const std::string& what, const std::string& command) {
  return misused(
      fmt::format("{}; see `ddm {}{}--help`", what, command, command.empty() ? "" : " "));
}

int run_command_line(int argc, char** argv) {
  // A closed pipe (`ddm allocs 1 | head`) makes the write fail instead of killing the process.
  std::signal(SIGPIPE, SIG_IGN);

  Command chosen;
  std::unique_ptr<CLI::App> app = make_app(chosen);
  if (const std::string text = installed_text(*app, argc, argv); !text.empty()) {
    print(text);
    return exit_code_of(kExitOk);
  }
  std::vector<std::string> arguments = arguments_of(argc, argv);
  if (const std::string word = unknown_command(*app, arguments); !word.empty()) {
    return misused("there is no command '" + word + "'; `ddm --help` lists them");
  }
  try {
    try {
      parse(*app, arguments);
    } catch (const CLI::RequiredError&) {
      const std::string name = command_without_pid(*app);
      if (name.empty()) throw;
      app = make_app(chosen);
      CLI::App* const command = app->get_subcommand(name);
      command->remove_option(command->get_option("PID"));
      parse(*app, std::move(arguments));
    }
  } catch (const CLI::ParseError& problem) {
    std::ostringstream help;
    if (app->exit(problem, help, help) != 0) return told(*app, problem);
    print(help.str());
    return exit_code_of(kExitOk);
  }
  try {
    return exit_code_of(chosen());
  } catch (const std::exception& failure) {  // no memory, in practice
    return refuse(failure.what());
  }
}

}  // namespace ddm
