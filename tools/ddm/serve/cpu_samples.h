// What cpu=samples counts of a program from one look to a later one, as a profile for pprof. Pure; the
// lines come from another process and may hold anything.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "core/result.h"
#include "site_figures.h"
#include "wire/chunks/hello.h"

namespace ddm {

// Lines of fetch_time() with those of the type "sample". What was counted before is left out.
Result<std::string> cpu_samples_profile(const std::vector<Json>& before,
                                        const std::vector<Json>& after, const HelloReply& hello,
                                        std::chrono::nanoseconds passed);

}  // namespace ddm
