// The threads of a program, from DDM's thread chunks.
#pragma once

#include "ddm_client.h"
#include "wire/chunks/thread_chunks.h"

namespace ddm {

// Threads are shown with Java's thread ids, as in jstack and in reports. A program without this
// agent does not send them; there the id is DDM's.
struct ThreadRow {
  std::int64_t id = 0;
  ThreadStatusTable::Entry status;  // its `id` is DDM's
  std::string name;
};

// By id. THEN is switched on for the duration of the call. Threads that end meanwhile are left out.
Result<std::vector<ThreadRow>> list_threads(DdmClient& client);

// DDM's id of the thread with this id.
Result<std::uint32_t> wire_id_of(DdmClient& client, std::int64_t id);

// The stack of a thread, or the program's error without DDM's ids.
Result<ThreadStack> stack_of(DdmClient& client, std::int64_t id, std::uint32_t wire_id);

}  // namespace ddm
