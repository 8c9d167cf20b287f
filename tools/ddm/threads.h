// The threads of a program, out of the chunks that tell of them.
#pragma once

#include "ddm_client.h"
#include "wire/chunks/thread_chunks.h"

namespace ddm {

// A thread is told by Java's own id, as jstack and reports tell it: people see no other. A program
// without our agent does not say that; there it is the number on the wire.
struct ThreadRow {
  std::int64_t id = 0;
  ThreadStatusTable::Entry status;  // its `id` is the number on the wire
  std::string name;
};

// By id. THEN is on during the call alone. Threads that end meanwhile are left out.
Result<std::vector<ThreadRow>> list_threads(DdmClient& client);

// The number on the wire of the thread with this id.
Result<std::uint32_t> wire_id_of(DdmClient& client, std::int64_t id);

// What a program says of a thread's stack, or why it does not, in words without numbers of the wire.
Result<ThreadStack> stack_of(DdmClient& client, std::int64_t id, std::uint32_t wire_id);

}  // namespace ddm
