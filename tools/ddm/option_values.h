// The options of commands: all commands declare them with these functions, so that all parse values
// such as times and sizes alike and report errors in the same words. Variables must outlive the
// command line; their values are the defaults that the help shows, unless they are 0 or "".
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace ddm {

// `type`: the word for the value in the help, if not CLI11's own. Names without '-' are those of
// positional arguments.
CLI::Option* add_text(CLI::App& command, const std::string& names, std::string& to,
                      const std::string& meaning, const char* type = nullptr);
// As many as are given; `count` != 0: exactly so many.
CLI::Option* add_texts(CLI::App& command, const std::string& names, std::vector<std::string>& to,
                       const std::string& meaning, const char* type = nullptr, int count = 0);
// One of these words.
CLI::Option* add_choice(CLI::App& command, const std::string& names, std::string& to,
                        const std::vector<std::string>& words, const std::string& meaning,
                        const char* type = nullptr);
CLI::Option* add_file(CLI::App& command, const std::string& names, std::string& path,
                      const std::string& meaning);
CLI::Option* add_flag(CLI::App& command, const std::string& names, bool& to,
                      const std::string& meaning);

void require(CLI::Option* option);
// Of `one` and any of the others only one may be given.
void exclude(CLI::Option* one, std::initializer_list<CLI::Option*> others);

inline constexpr std::int64_t kAnyNumber = std::numeric_limits<std::int64_t>::max();
// A whole number, `type` in the help.
CLI::Option* add_number(CLI::App& command, const std::string& names, const std::string& meaning,
                        std::int64_t start, std::int64_t least, std::int64_t most,
                        const std::function<void(std::int64_t)>& use, const char* type);
template <typename Number>
CLI::Option* add_number(CLI::App& command, const std::string& names, Number& to,
                        const std::string& meaning, std::int64_t least, std::int64_t most,
                        const char* type = "N") {
  return add_number(
      command, names, meaning, static_cast<std::int64_t>(to), least, most,
      [&to](std::int64_t number) { to = static_cast<Number>(number); }, type);
}

// "2", "2s", "500ms", "500us", "1m", "1h" -> seconds, at least 0. None: not a time.
std::optional<double> seconds_of(std::string_view text);

inline constexpr double kMaxSeconds = 2000 * 3600.0;  // some months

// An option for a time.
CLI::Option* add_duration(CLI::App& command, const std::string& names, double& seconds,
                          const std::string& meaning, double least, double most);
// The same for a time in milliseconds.
CLI::Option* add_milliseconds(CLI::App& command, const std::string& names, double& milliseconds,
                              const std::string& meaning, double least, double most);

// An option for a size: "4096", "512k", "1m".
CLI::Option* add_bytes(CLI::App& command, const std::string& names, std::int64_t& bytes,
                       const std::string& meaning, std::int64_t least, std::int64_t most);

// --top N.
CLI::Option* add_top(CLI::App& command, std::size_t& top, const std::string& meaning);

// --by class|site|app and --top N.
void add_row_options(CLI::App& command, std::string& by, std::size_t& top);

// --agent FILE, the library to load.
void add_agent(CLI::App& command, std::string& path);

// For pids: "" or the error.
std::string pid_error(const std::string& text);

}  // namespace ddm
