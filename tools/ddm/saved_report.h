// A report that was saved as .jsonl, as data of which every other format can be written.
//
// Not in the file, so not in the data: the figures of live objects over time, and who called whom of
// the timed methods.
#pragma once

#include <string>

#include "core/result.h"
#include "report/report.h"

namespace ddm {

// The error names the file: it is no whole .jsonl report.
Result<ReportData> read_saved_report(const std::string& path);

// Writes the data to `path` in the format of its extension, or as text to stdout if it is "-".
// `recent`: the records alone. `below`: of this method and its callees; "": all.
std::optional<Error> write_saved(ReportData data, const std::string& path, bool recent,
                                 const std::string& below);

}  // namespace ddm
