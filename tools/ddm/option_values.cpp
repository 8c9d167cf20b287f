#include "option_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/types.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "core/option_values.h"
#include "core/whole_text.h"

namespace ddm {
namespace {

std::string time_text(double time) {
  if (time < 0.001) return fmt::format("{:g}us", time * 1'000'000);
  if (time < 1) return fmt::format("{:g}ms", time * 1000);
  return time < 10'000 ? fmt::format("{:g}s", time) : fmt::format("{:g}h", time / 3600);
}

// A time in `unit` seconds, which it is in if it names none.
std::optional<double> time_in(double unit, std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || !(number >= 0)) return {};
  const std::string_view name(stop, static_cast<std::size_t>(end - stop));
  if (name == "us") return number * (1e-6 / unit);
  if (name == "ms") return number * (1e-3 / unit);
  if (name == "s") return number * (1 / unit);
  if (name == "m") return number * (60 / unit);
  if (name == "h") return number * (3600 / unit);
  if (name.empty()) return number;
  return {};
}

// `least` and `most` are in `unit` seconds, as `to`. `right`: examples, of which an error names those
// that are in between.
CLI::Option* add_time(CLI::App& command, const std::string& names, double& to,
                      const std::string& meaning, double least, double most, double unit,
                      std::vector<std::string_view> right) {
  const auto good = [=](std::string_view text) {
    const auto time = time_in(unit, text);
    return time && *time >= least && *time <= most;
  };
  std::erase_if(right, [&](std::string_view example) { return !good(example); });
  const std::string last(right.back());
  right.pop_back();
  const auto fault = [=](const std::string& text) {
    if (good(text)) return std::string();
    return fmt::format("'{}' is not a time from {} to {}; right is {} or {}", text,
                       time_text(least * unit), time_text(most * unit), fmt::join(right, ", "),
                       last);
  };
  CLI::Option* option = command.add_option_function<std::string>(
      names, [&to, unit](const std::string& text) { to = time_in(unit, text).value_or(0); },
      meaning);
  option->type_name("TIME")->check(fault);
  if (to > 0) option->default_str(time_text(to * unit));
  return option;
}

// CLI11 calls them {these,words} in the name of the type, where completions find them.
CLI::Validator one_of(const std::vector<std::string>& words) {
  const std::string all = fmt::format("{}", fmt::join(words, ", "));
  return {[words, all](const std::string& given) {
            return std::ranges::find(words, given) != words.end()
                       ? std::string()
                       : fmt::format("'{}' is not one of {}", given, all);
          },
          fmt::format("{{{}}}", fmt::join(words, ","))};
}

}  // namespace

CLI::Option* add_text(CLI::App& command, const std::string& names, std::string& to,
                      const std::string& meaning, const char* type) {
  CLI::Option* option = command.add_option(names, to, meaning)->capture_default_str();
  // A script's empty variable must not mean the only program, or what is meant without the option.
  if (names == "PID") {
    option->check([](const std::string& given) {
      return given.empty() ? "it is empty; leave it out for the only program" : "";
    });
  } else if (names.starts_with('-') || names == "RING") {
    option->check([](const std::string& given) { return given.empty() ? "it is empty" : ""; });
  }
  return type != nullptr ? option->type_name(type) : option;
}

CLI::Option* add_texts(CLI::App& command, const std::string& names, std::vector<std::string>& to,
                       const std::string& meaning, const char* type, int count) {
  CLI::Option* option = command.add_option(names, to, meaning);
  if (type != nullptr) option->type_name(type);
  return count != 0 ? option->expected(count) : option;
}

CLI::Option* add_choice(CLI::App& command, const std::string& names, std::string& to,
                        const std::vector<std::string>& words, const std::string& meaning,
                        const char* type) {
  return add_text(command, names, to, meaning, type)->check(one_of(words));
}

CLI::Option* add_file(CLI::App& command, const std::string& names, std::string& path,
                      const std::string& meaning) {
  return add_text(command, names, path, meaning, "FILE");
}

CLI::Option* add_flag(CLI::App& command, const std::string& names, bool& to,
                      const std::string& meaning) {
  return command.add_flag(names, to, meaning);
}

void require(CLI::Option* option) { option->required(); }

void exclude(CLI::Option* one, std::initializer_list<CLI::Option*> others) {
  for (CLI::Option* const other : others) one->excludes(other);
}

CLI::Option* add_number(CLI::App& command, const std::string& names, const std::string& meaning,
                        std::int64_t start, std::int64_t least, std::int64_t most,
                        const std::function<void(std::int64_t)>& use, const char* type) {
  const auto fault = [least, most](const std::string& text) {
    const auto number = number_in<std::int64_t>(text);
    if (number && *number >= least && *number <= most) return std::string();
    return fmt::format("'{}' is not a whole number from {} {}", text, least,
                       most == kAnyNumber ? "on" : fmt::format("to {}", most));
  };
  CLI::Option* option = command.add_option_function<std::string>(
      names, [use](const std::string& text) { use(number_in<std::int64_t>(text).value_or(0)); },
      meaning);
  option->type_name(type)->check(fault);
  if (start != 0) option->default_str(std::to_string(start));
  return option;
}

std::optional<double> seconds_of(std::string_view text) { return time_in(1, text); }

CLI::Option* add_duration(CLI::App& command, const std::string& names, double& to,
                          const std::string& meaning, double least, double most) {
  return add_time(command, names, to, meaning, least, most, 1, {"2", "2s", "500ms", "1m", "1h"});
}

CLI::Option* add_milliseconds(CLI::App& command, const std::string& names, double& to,
                              const std::string& meaning, double least, double most) {
  return add_time(command, names, to, meaning, least, most, 0.001, {"2", "2ms", "500us", "1s"});
}

CLI::Option* add_bytes(CLI::App& command, const std::string& names, std::int64_t& to,
                       const std::string& meaning, std::int64_t least, std::int64_t most) {
  const auto fault = [least, most](const std::string& text) {
    std::int64_t bytes = 0;
    return std::string(number(text, least, most, true, &bytes));
  };
  CLI::Option* option = command.add_option_function<std::string>(
      names, [=, &to](const std::string& text) { number(text, least, most, true, &to); }, meaning);
  option->type_name("BYTES")->check(fault);
  if (to > 0)
    option->default_str(to % 1024 == 0 ? fmt::format("{}k", to >> 10) : fmt::format("{}", to));
  return option;
}

CLI::Option* add_top(CLI::App& command, std::size_t& top, const std::string& meaning) {
  return add_number(command, "--top", top, meaning, 0, kAnyNumber);
}

void add_row_options(CLI::App& command, std::string& by, std::size_t& top) {
  add_choice(command, "--by", by, {"class", "site", "app"}, "Rows: class, site or app", "WHAT");
  add_top(command, top, "Number of rows to show");
}

void add_agent(CLI::App& command, std::string& path) {
  add_file(command, "--agent", path,
           "libddmagent.so; by default the one in ../lib of this command");
}

std::string pid_error(const std::string& text) {
  return number_in<pid_t>(text).value_or(0) > 0
             ? std::string()
             : fmt::format("'{}' is not a pid; `ddm ps --all` lists the JVMs that there are", text);
}

}  // namespace ddm
