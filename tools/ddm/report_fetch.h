// The reports that a target writes itself (REPT).
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ddm_client.h"
#include "site_figures.h"
#include "wire/chunks/bytes.h"

namespace ddm {

// A report in this format, piece by piece; `take` stops it by false.
std::optional<Error> fetch_report(DdmClient& client, const std::string& format,
                                  const std::function<bool(std::string_view)>& take);

// A report in the format of the path's ending, written there as it is. `recent`: of the recent
// records alone.
std::optional<Error> save_report(DdmClient& client, const std::string& path, bool recent);
// As text, to stdout.
std::optional<Error> print_report(DdmClient& client, bool recent);

// The page, as it would be written to a file.
Result<std::string> fetch_page(DdmClient& client);

// The whole run, and the facts of the summary. Without "sites" in the summary none are counted.
// `below`: as FigureReader's.
Result<SiteFigures> fetch_figures(DdmClient& client, const std::string& below = {});

// What is alive, piece by piece as live_list() of report/report.h has it; `take` stops it by false.
std::optional<Error> fetch_live(DdmClient& client,
                                const std::function<bool(std::string_view)>& take);

// The facts alone.
Result<Json> fetch_summary(DdmClient& client);

// The facts, then the lines of time that are of one of these types.
Result<std::vector<Json>> fetch_time(DdmClient& client,
                                     std::initializer_list<std::string_view> types);

}  // namespace ddm
