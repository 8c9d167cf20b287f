// Option values that several commands take, such as times and sizes, so that all parse them alike
// and report errors in the same words.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ddm {

// "2", "2s", "500ms", "1m", "1h" -> seconds, at least 0. None: not a time.
std::optional<double> seconds_of(std::string_view text);

inline constexpr double kMaxSeconds = 1e7;  // some months

// An option for a time; the help shows the default in `seconds`, unless it is 0. The variable must
// outlive the command line.
CLI::Option* add_duration(CLI::App& command, const std::string& names, double& seconds,
                          const std::string& meaning, double least, double most);

// An option for a size: "4096", "512k", "1m". As above.
CLI::Option* add_bytes(CLI::App& command, const std::string& names, std::int64_t& bytes,
                       const std::string& meaning, std::int64_t least, std::int64_t most);

// --top N. As above.
CLI::Option* add_top(CLI::App& command, std::size_t& top, const std::string& meaning);

// For pids: "" or the error.
std::string pid_error(const std::string& text);

}  // namespace ddm
