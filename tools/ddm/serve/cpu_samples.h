// The samples of cpu=samples between two readings of a program, as a profile for pprof. Pure; the
// lines come from another process and may contain anything.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "core/result.h"
#include "site_figures.h"
#include "wire/chunks/hello.h"

namespace ddm {

// The "sample" lines of fetch_time(); counts from before are subtracted.
Result<std::string> cpu_samples_profile(const std::vector<Json>& before,
                                        const std::vector<Json>& after, const HelloReply& hello,
                                        std::chrono::nanoseconds passed);

}  // namespace ddm
