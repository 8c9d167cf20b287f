// What there is to say of the figures of a whole run, above their table: the period that they
// cover, and whether they are estimates or lower bounds.
#pragma once

#include <string>
#include <vector>

#include "json_values.h"
#include "site_figures.h"

namespace ddm {

// Of a ring file.
bool is_recovered(const SiteFigures& figures);

std::vector<std::string> run_notes(const SiteFigures& figures, bool tracking);

// "FILE has lower bounds: ...", if the summary of a report says so; else "".
std::string lower_bounds_note(const std::string& path, const Json& summary);

}  // namespace ddm
