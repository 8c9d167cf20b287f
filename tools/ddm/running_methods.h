// Warnings, waits and refusals before classes of a program are changed.
#pragma once

#include <optional>

#include "ddm_client.h"
#include "option_values.h"
#include "wire/chunks/probes.h"

namespace ddm {

struct RunningRule {
  bool wait = false, refuse = false;  // not both
};

// --wait and --no-running.
void add_running_rule(CLI::App& command, RunningRule& rule);

// Names running methods of these classes on stderr, and waits for their end or refuses, as the rule
// says; also names classes that have been changed often. Returns an exit code if the command has to
// end.
std::optional<int> check_running_methods(DdmClient& client, const OutlookRequest& request,
                                         RunningRule rule);

}  // namespace ddm
