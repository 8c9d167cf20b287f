// The option string of -agentlib:ddmagent=... and of late attach, as a table of rows that the
// features bring.
//
// Pure: no JVM, no files. Separator `,`; a literal comma is `\,`.
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
  // Stores the value that was given, or says what is wrong with it.
  std::function<Wrong(std::string_view value)> set;
  // Forgets what an earlier string has set, before the first set() of a string: for an option that
  // one string may give several times.
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

  // One line an option, at most 80 columns.
  std::string help() const;

  // Why a second load cannot give these options; "" = it can.
  std::string reload_error(const GivenOptions& given) const;

 private:
  const OptionRow* find(std::string_view name) const;

  std::vector<OptionRow> rows_;
};

}  // namespace ddm
