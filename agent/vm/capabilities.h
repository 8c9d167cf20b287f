// The JVMTI capabilities that the agent holds as long as it is loaded.
//
// Exclusive ones (can_generate_sampled_object_alloc_events) are not included: their user acquires
// them while in use (allocations/capture/vm_engine).
#pragma once

#include <jvmti.h>

#include <cstddef>
#include <optional>

namespace ddm {

// Acquires what this VM offers, at load or late attach, and logs in one line what is missing. No
// missing capability prevents the start; what needs one fails with a reason.
void add_capabilities(jvmtiEnv* jvmti);

// One capability that the headers of 17 have no name for, by its bit, counted from the lowest of the
// first byte. nullopt: this VM does not offer it. Any thread.
std::optional<jvmtiCapabilities> offered_capability(jvmtiEnv* jvmti, std::size_t bit);

}  // namespace ddm
