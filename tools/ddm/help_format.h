// How `ddm --help` looks: CLI11's pages, but within 80 columns.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace ddm {

class HelpFormat : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;
};

}  // namespace ddm
