// The threads of a program, out of the chunks that tell of them.
#pragma once

#include "ddm/thread_chunks.h"
#include "ddm_client.h"

namespace ddm {

struct ThreadRow {
  ThreadStatusTable::Entry status;
  std::string name;
};

// By id. THEN is on during the call alone. Threads that end meanwhile are left out.
Result<std::vector<ThreadRow>> list_threads(DdmClient& client);

}  // namespace ddm
