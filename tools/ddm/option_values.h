// Values of options that several commands take: how long, how many. Each is read in one place, and
// what is wrong with it is told in the same words everywhere.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ddm {

// "2", "2s", "500ms", "1m", "1h": seconds, none below 0. None: it is no time.
std::optional<double> seconds_of(std::string_view text);

inline constexpr double kMostSeconds = 1e7;  // some months

// An option for a time; `seconds`, its default, is told in the help unless it is 0. What it is written to
// outlives the command line.
CLI::Option* add_duration(CLI::App& command, const std::string& names, double& seconds,
                          const std::string& meaning, double least, double most);

// An option for a size: "4096", "512k", "1m". As above.
CLI::Option* add_bytes(CLI::App& command, const std::string& names, std::int64_t& bytes,
                       const std::string& meaning, std::int64_t least, std::int64_t most);

// --top N. As above.
CLI::Option* add_top(CLI::App& command, std::size_t& top, const std::string& meaning);

// For pids: "" or what is wrong.
std::string fault_of_pid(const std::string& text);

}  // namespace ddm
