// Warnings, waits and refusals before classes of a program are changed.
#pragma once

#include <optional>

#include "ddm_client.h"
#include "wire/chunks/class_outlook.h"

namespace ddm {

struct RunningRule {
  bool wait = false, refuse = false;  // not both
};

// Methods that run in these classes are named on stderr, and waited for or refused as the rule
// says; so are classes that have been changed often. The exit code, if that is the end.
std::optional<int> look_before_changes(DdmClient& client, const OutlookRequest& request,
                                       RunningRule rule);

}  // namespace ddm
