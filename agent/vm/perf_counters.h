// Counters that the VM keeps for jstat and its like (-XX:+UsePerfData, the default).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ddm {

// The address of the 64-bit value of, for instance, "sun.gc.collector.2.invocations": valid until
// the VM ends. nullopt: there is no such counter, or none at all. Any thread.
std::optional<std::uintptr_t> perf_counter_address(std::string_view name);

}  // namespace ddm
