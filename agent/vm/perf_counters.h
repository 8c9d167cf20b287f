// Counters that the VM keeps for jstat and its like (-XX:+UsePerfData, the default).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ddm {

// "sun.gc.collector.2.invocations". nullopt: there is no such counter, or none at all. Any thread.
std::optional<std::int64_t> perf_counter(std::string_view name);

}  // namespace ddm
