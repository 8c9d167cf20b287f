// The commands of `ddm`: one file each, command_NAME.cpp.
//
// add_NAME() declares the command's arguments; when the user has chosen the command, `chosen`
// becomes the function to run. Nothing runs while the command line is being parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>

namespace ddm {

// Exit codes.
inline constexpr int kExitOk = 0;
inline constexpr int kExitRefused =
    1;  // the target refused or is missing, or a file cannot be written
inline constexpr int kExitUsage = 2;

using Command = std::function<int()>;  // returns one of the above

// Options of most commands.
struct TargetOptions {
  std::string target;
  bool json = false;
};

// A command, and the object that holds its arguments, which run() receives.
template <typename Options>
struct AddedCommand {
  CLI::App& command;
  Options& options;
};
template <typename Options>
AddedCommand<Options> add_command(CLI::App& app, Command& chosen, const char* name,
                                  const char* meaning, int (*run)(const Options&)) {
  CLI::App* command = app.add_subcommand(name, meaning);
  const auto options = std::make_shared<Options>();
  command->callback([=, &chosen] { chosen = [=] { return run(*options); }; });
  return {*command, *options};
}

using AddCommand = void(CLI::App& app, Command& chosen);
AddCommand add_ps, add_info, add_threads, add_stack, add_heap, add_gc, add_locks, add_track,
    add_trace, add_probe, add_allocs, add_live, add_leaks, add_paths, add_gate, add_native,
    add_top_command, add_dump, add_sites, add_recover, add_record, add_attach, add_bridge,
    add_dyper, add_send, add_serve;

}  // namespace ddm
