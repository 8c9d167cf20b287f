// The option string of -agentlib:ddmagent=... and of late attach, parsed by a table of rows that
// the features provide.
//
// Pure: no JVM, no files. The separator is `,`; a literal comma is `\,`.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/given_options.h"
#include "core/option_values.h"

namespace ddm {

struct OptionRow {
  enum class Reload {
    kRefused,
    kTaken,  // a second load of the agent may change the option
  };

  std::string_view name;
  std::string_view values;   // for help and error messages; "" = the option takes no value
  std::string_view meaning;  // one line of the help text
  Reload reload = Reload::kRefused;
  // Parses and stores the value, or returns what is wrong with it.
  std::function<Wrong(std::string_view value)> set;
  // Resets what an earlier string stored; called before the first set() of a string. For an option
  // that may occur several times in one string.
  std::function<void()> clear = nullptr;
  std::vector<std::string_view> more_help = {};  // further lines below `meaning`
};

class OptionTable {
 public:
  void add(std::vector<OptionRow> rows);

  struct Parsed {
    GivenOptions given;
    std::string error;  // names the option and the valid choices; "" = good
  };
  Parsed parse(std::string_view text) const;

  // One line per option, at most 80 columns.
  std::string help() const;

  // Why a second load may not change these options; "" = it may.
  std::string reload_error(const GivenOptions& given) const;

 private:
  const OptionRow* find(std::string_view name) const;

  std::vector<OptionRow> rows_;
};

}  // namespace ddm
