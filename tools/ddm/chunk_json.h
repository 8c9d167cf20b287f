// A chunk from a VM as JSON, for `ddm send` and for --json.
#pragma once

#include <optional>

#include "json_values.h"
#include "wire/chunks/chunk.h"
#include "wire/chunks/thread_chunks.h"

namespace ddm {

// None: an unknown type, or data that does not match the type's layout.
std::optional<Json> chunk_to_json(const Chunk& chunk);

// [{class, method, file, line}]
Json stack_json(const std::vector<ThreadStack::Frame>& stack);
// "    at shop.Cart.total(Cart.java:12)", and the line end.
std::string frame_line(const ThreadStack::Frame& frame);

// "running", "wait", ...; as DDM servers label them.
std::string_view thread_state_name(ThreadState state);

}  // namespace ddm
