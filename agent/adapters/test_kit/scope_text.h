// A scope's figures in the form that ddm-test.jar reads.
//
//   | objects TAB bytes TAB objects of first uses TAB their bytes TAB lost
//             TAB objects that are alive TAB their bytes (-1: not known)           | of all sites
//   | objects TAB bytes TAB flags TAB class { TAB class SOH method SOH file SOH line } | a site a line,
//                                                             the innermost frame first, most bytes first
//
// flags: 'f' of a first use, 'o' of the thread that the scope is of; '-' for either that is not so.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "allocations/store/scope_figures.h"

namespace ddm {

// The first line, with its line feed.
std::string scope_sums(const ScopeFigures& figures, const std::optional<LiveAmount>& alive);

// Totals cover all sites; at most `most` sites are written, with at most `most_frames` frames each.
std::string scope_text(const ScopeFigures& figures, const std::optional<LiveAmount>& alive,
                       const NameTable& names, std::size_t most, std::size_t most_frames);

}  // namespace ddm
