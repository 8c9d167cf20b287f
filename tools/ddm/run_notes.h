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

// "estimated from 812 samples: one sample every ..."; 0 samples: of unknown number.
std::string sampled_note(std::int64_t interval, std::int64_t samples);
// The same of figures of sites; "": exact. Of a part of the run the number of samples is not known.
std::string estimate_note(const SiteFigures& figures, bool of_whole_run);

// "FILE has lower bounds: ...", if the summary of a report says so; else "".
std::string lower_bounds_note(const std::string& path, const Json& summary);

}  // namespace ddm
