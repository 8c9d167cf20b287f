// Programs' figures in Prometheus's text format, version 0.0.4. Pure.
#pragma once

#include <string>
#include <vector>

#include "serve/jvm_watch.h"

namespace ddm {

inline constexpr const char* kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

// What a scrape may add to somebody's database. Programs beyond it are counted in
// ddm_jvms_left_out, the youngest of them first.
inline constexpr std::size_t kMostSeries = 500;

std::string metrics_text(const std::vector<WatchedJvm>& jvms);

}  // namespace ddm
