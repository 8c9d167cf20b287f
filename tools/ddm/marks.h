// Moments of programs that the user has given names: what was allocated at each site until then.
//
// They are the tool's and cost the program nothing: files of mode 0600 in the directory `marks`
// (0700) beside the discovery files, PID-NAME.jsonl, a list of sites each, and PID-NAME.html, the page
// of that moment, which has all stacks. Whose program has ended goes when the next mark is set.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "site_figures.h"

namespace ddm {

// The user's directory of marks, his alone, made if need be.
Result<std::string> marks_directory();

// Letters, digits, ".", "_" and "-", up to 64 of them. The error says so.
std::optional<Error> check_mark_name(const std::string& name);

// `figures`: of now, `page` as well. Takes the place of a mark of that name.
std::optional<Error> set_mark(const std::string& name, const SiteFigures& figures,
                              std::string_view page);
// Where the page of a mark is that find_mark() has found.
Result<std::string> page_of_mark(const std::string& name, std::int64_t pid);

// The figures of a mark that `now` can be held against. The error: there is no such mark (and which
// there are), or it is of another program or of another period of tracking.
Result<SiteFigures> find_mark(const std::string& name, const SiteFigures& now);

}  // namespace ddm
