// The first page of `ddm serve`: the programs with their live figures, and links to their reports.
#pragma once

#include <string>
#include <vector>

#include "json_values.h"
#include "jvm_watch.h"

namespace ddm {

// [{pid, app, vm, answers, tracking, bytes_per_second, live_bytes, heap_used_bytes, heap_max_bytes,
// collections, threads}]; null where nothing is known.
Json jvms_json(const std::vector<WatchedJvm>& jvms);

// `token`: for its links and requests; `nonce`: of its script, new for each page.
std::string jvm_list_page(const std::vector<WatchedJvm>& jvms, std::string_view token,
                          std::string_view nonce);

// The Content-Security-Policy of the page.
std::string jvm_list_policy(std::string_view nonce);

}  // namespace ddm
