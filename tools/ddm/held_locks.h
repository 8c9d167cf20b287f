// Who holds and who waits for which lock, at one moment of a program: fetched, put into words, and
// searched for threads that wait for each other.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ddm_client.h"
#include "output.h"
#include "wire/chunks/thread_locks.h"

namespace ddm {

// None: the program does not tell (an agent of an older version, another DDM server, a VM without
// java.management).
std::optional<ThreadLocks> fetch_locks(DdmClient& client);

using LockCircle = std::vector<const ThreadLocks::Thread*>;
// Each thread of a circle waits for what the next one has, the last one for what the first one has.
// They point into `locks`.
std::vector<LockCircle> deadlocks_of(const ThreadLocks& locks);

// "deadlock:" and a line for each thread, as text of several lines; "" without one.
std::string deadlocks_text(const std::vector<LockCircle>& circles);

// The frames of a thread, below each what it holds or waits for there. Lines end in '\n'.
std::string locked_stack_text(const ThreadLocks::Thread& thread);

// {waits: {kind, class, hash, owner}, holds: [{class, hash, frame}]}, each where there is some.
void add_lock_members(const ThreadLocks::Thread& thread, Json& object);

}  // namespace ddm
