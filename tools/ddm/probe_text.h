// The findings of probes as tables and as JSON.
#pragma once

#include <string>

#include "json_values.h"
#include "wire/chunks/probes.h"

namespace ddm {

// Why a method has no probe.
std::string reason_text(const ProbeFindings::Method& method);

std::string probe_text(const ProbeRequest& request, const ProbeFindings& findings,
                       std::size_t width);
Json probe_json(const ProbeRequest& request, const ProbeFindings& findings);

}  // namespace ddm
