// The reports that a target writes itself (REPT).
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ddm_client.h"
#include "site_figures.h"

namespace ddm {

// Fetches a report in this format, piece by piece, until `sink` returns false. `below`: of what
// happened in this method and what it called; "": of all.
std::optional<Error> fetch_report(DdmClient& client, const std::string& format,
                                  const std::function<bool(std::string_view)>& sink,
                                  const std::string& below = {});

// Writes a report to `path` in the format of its extension. `recent`: of the recent records only.
// `below`: as fetch_report()'s.
std::optional<Error> save_report(DdmClient& client, const std::string& path, bool recent,
                                 const std::string& below = {});
// As text, to stdout.
std::optional<Error> print_report(DdmClient& client, bool recent, const std::string& below = {});

// " (88.0 MiB)" of a large file, else "".
std::string size_note(const std::string& path);

// A report of at most so many bytes, to be kept in memory.
Result<std::string> fetch_text(DdmClient& client, std::string_view format,
                               std::uint64_t most = DdmClient::kMuchData.bytes);

// The figures of the whole run, and the summary. Without "sites" in the summary sites are not
// counted. `below`: as FigureReader's.
Result<SiteFigures> fetch_figures(DdmClient& client, const std::string& below = {});

// The same for what happened below a method, including the summary; "": for all.
Result<SiteFigures> fetch_part(DdmClient& client, const std::string& below);

// The recent records, with the names of threads that have ended.
Result<SiteFigures> fetch_recent(DdmClient& client);

// The summary only.
Result<Json> fetch_summary(DdmClient& client);

// The summary, then the time lines of these types. `below`: as fetch_part()'s.
Result<std::vector<Json>> fetch_time(DdmClient& client,
                                     std::initializer_list<std::string_view> types,
                                     const std::string& below = {});

}  // namespace ddm
