// The commands of `ddm`: one file each, command_NAME.cpp.
//
// add_NAME() declares the command's arguments; when the user has chosen it, `chosen` becomes what
// is to be done. Nothing is done while the command line is still being read.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace ddm {

// What the process ends with.
inline constexpr int kExitOk = 0;
inline constexpr int kExitRefused =
    1;  // the target said no, is not there, or a file cannot be written
inline constexpr int kExitUsage = 2;

using Command = std::function<int()>;  // returns one of the above

void add_ps(CLI::App& app, Command& chosen);
void add_info(CLI::App& app, Command& chosen);
void add_threads(CLI::App& app, Command& chosen);
void add_stack(CLI::App& app, Command& chosen);
void add_heap(CLI::App& app, Command& chosen);
void add_gc(CLI::App& app, Command& chosen);
void add_locks(CLI::App& app, Command& chosen);
void add_track(CLI::App& app, Command& chosen);
void add_trace(CLI::App& app, Command& chosen);
void add_probe(CLI::App& app, Command& chosen);
void add_allocs(CLI::App& app, Command& chosen);
void add_live(CLI::App& app, Command& chosen);
void add_dump(CLI::App& app, Command& chosen);
void add_sites(CLI::App& app, Command& chosen);
void add_recover(CLI::App& app, Command& chosen);
void add_record(CLI::App& app, Command& chosen);
void add_attach(CLI::App& app, Command& chosen);
void add_bridge(CLI::App& app, Command& chosen);
void add_dyper(CLI::App& app, Command& chosen);
void add_send(CLI::App& app, Command& chosen);

}  // namespace ddm
