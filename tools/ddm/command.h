// The commands of `ddm`: one file each, command_NAME.cpp; command_line.cpp chooses one, reads its
// arguments and runs it.
//
// add_NAME() declares the command's arguments; when the user has chosen the command, `chosen`
// becomes the function to run. Nothing runs while the command line is being parsed.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "option_values.h"
#include "output.h"
#include "target.h"

namespace ddm {

using Command = std::function<int()>;  // returns an exit code of output.h

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
CLI::App& add_command(CLI::App& app, Command& chosen, const char* name, const char* meaning,
                      Command run);
template <typename Options>
AddedCommand<Options> add_command(CLI::App& app, Command& chosen, const char* name,
                                  const char* meaning, int (*run)(const Options&)) {
  const auto options = std::make_shared<Options>();
  return {add_command(app, chosen, name, meaning, [=] { return run(*options); }), *options};
}

// For what the parser does not refuse by itself; names the help. Returns kExitUsage.
int bad_command_line(const std::string& what, const std::string& command);

using AddCommand = void(CLI::App& app, Command& chosen);
AddCommand add_ps, add_info, add_threads, add_stack, add_heap, add_gc, add_locks, add_track,
    add_trace, add_probe, add_allocs, add_live, add_leaks, add_paths, add_gate, add_native,
    add_top_command, add_dump, add_sites, add_recover, add_record, add_attach, add_bridge,
    add_dyper, add_send, add_serve;

// Returns an exit code of output.h.
int run_command_line(int argc, char** argv);

}  // namespace ddm
