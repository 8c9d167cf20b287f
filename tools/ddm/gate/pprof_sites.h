// Reads the sites of a profile that this project has written (.pb.gz, fields: report_pprof.cpp).
// Pure; the bytes may be arbitrary, and damaged ones are errors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "json_values.h"

namespace ddm {

struct PprofSites {
  std::string vm;  // as a jsonl summary has it; "" if the profile does not state it
  // {"class":,"count":,"bytes":,"stack":[{"class":,"method":,"file":,"line":}]} each, and
  // "truncated", as in jsonl.
  std::vector<Json> sites;
};

// The error: the profile is damaged, or its figures are not exact ones of the whole run.
Result<PprofSites> read_pprof_sites(std::string_view gzipped);

}  // namespace ddm
