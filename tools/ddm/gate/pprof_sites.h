// The sites of a profile that this project wrote (.pb.gz: report_pprof.cpp has its fields), read again.
// Pure; the bytes may be anything, and damaged ones are errors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "output.h"

namespace ddm {

struct PprofSites {
  std::string vm;  // as a jsonl summary has it; "" where the profile does not say
  // {"class":,"count":,"bytes":,"stack":[{"class":,"method":,"file":,"line":}]} each, as in jsonl.
  std::vector<Json> sites;
};

// The error: the profile is damaged, or its figures are not exact ones of the whole run.
Result<PprofSites> read_pprof_sites(std::string_view gzipped);

}  // namespace ddm
