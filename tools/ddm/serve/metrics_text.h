// Programs' figures in Prometheus's text format, version 0.0.4. Pure.
#pragma once

#include <string>
#include <vector>

#include "jvm_figures.h"

namespace ddm {

inline constexpr const char* kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

// Bounds what a scrape adds to a database. The youngest programs beyond it are left out and counted
// in ddm_jvms_left_out.
inline constexpr std::size_t kMaxSeries = 500;

std::string metrics_text(const std::vector<WatchedJvm>& jvms);

}  // namespace ddm
