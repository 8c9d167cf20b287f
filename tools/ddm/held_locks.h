// The locks that threads hold and wait for, at one moment: fetched from a program, formatted, and
// searched for deadlocks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ddm_client.h"
#include "output.h"
#include "wire/chunks/thread_locks.h"

namespace ddm {

// None: the program does not support it (an agent of an older version, another DDM server, a VM
// without java.management).
std::optional<ThreadLocks> fetch_locks(DdmClient& client);

using LockCycle = std::vector<const ThreadLocks::Thread*>;
// Cycles of threads: each waits for a lock of the next one, the last one for a lock of the first.
// The pointers refer to `locks`.
std::vector<LockCycle> deadlocks_of(const ThreadLocks& locks);

// "deadlock:" and a line for each thread, as text of several lines; "" without one.
std::string deadlocks_text(const std::vector<LockCycle>& cycles);

// The frames of a thread, below each what it holds or waits for there. Lines end in '\n'.
std::string locked_stack_text(const ThreadLocks::Thread& thread);

// {waits: {kind, class, hash, owner}, holds: [{class, hash, frame}]}, each only if not empty.
void add_lock_members(const ThreadLocks::Thread& thread, Json& object);

}  // namespace ddm
