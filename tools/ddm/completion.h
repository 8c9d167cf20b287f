// Shell completion of `ddm`'s command lines, generated from the declarations that its help uses.
//
// Pure.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace ddm {

// The completions of one value.
struct Candidates {
  std::vector<std::string> words;  // these, if there are any
  bool targets = false;            // pids of programs with the agent
  bool files = false;
};
// "-o", "--out": empty for a positional argument.
std::vector<std::string> names_of(const CLI::Option& option);

Candidates candidates_of(const CLI::Option& option);

std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);

}  // namespace ddm
