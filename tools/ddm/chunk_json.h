// A chunk from a VM as JSON, for `ddm send` and for --json.
#pragma once

#include <optional>

#include "output.h"
#include "wire/chunks/chunk.h"
#include "wire/chunks/thread_chunks.h"

namespace ddm {

// None: a type that is not known, or data that is not laid out as the type wants it.
std::optional<Json> chunk_to_json(const Chunk& chunk);

// [{class, method, file, line}]
Json stack_json(const std::vector<ThreadStack::Frame>& stack);
// "Cart.java:12", "Native Method", "Unknown Source".
std::string place_of(const ThreadStack::Frame& frame);

// "running", "wait", ...; as DDM servers label them.
std::string_view thread_state_name(ThreadState state);

}  // namespace ddm
