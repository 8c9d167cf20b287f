// The locks that threads hold and wait for, at one moment: fetched from a program, formatted, and
// searched for deadlocks. And what a report's waits are: for a lock, whose holder is known or not,
// or for work.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ddm_client.h"
#include "json_values.h"
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

// `wait`: a row of a report's waits, with class, kind and stack, innermost frame first. As that of
// stack/names/idle_waits.h.
bool is_idle_wait(const Json& wait);

struct HolderCounts {
  std::int64_t waits = 0;  // for monitors, and for locks that have an owner
  std::int64_t known = 0;  // with a holder
};

HolderCounts count_holders(const std::vector<Json>& waits);

}  // namespace ddm
