// What probes have found, as tables for people and as JSON.
#pragma once

#include <string>

#include "ddm/probes.h"
#include "output.h"

namespace ddm {

std::string probe_text(const ProbeRequest& request, const ProbeFindings& findings,
                       std::size_t width);
Json probe_json(const ProbeRequest& request, const ProbeFindings& findings);

}  // namespace ddm
