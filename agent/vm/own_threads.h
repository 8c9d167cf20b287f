// Which threads are the agent's own: their allocations are not the program's.
//
// An AgentThread is registered by its Java id before it runs, since its ThreadStart event is posted
// before its first instruction. Any thread; nothing blocks.
#pragma once

#include <cstdint>

namespace ddm {

// By Thread.getId(). The table has room for a handful; beyond that a thread is not registered.
void add_own_thread(std::int64_t java_id);
bool is_own_thread(std::int64_t java_id);
// The thread ends, and its entry is free again. Since the VM still lists the thread for a moment, it
// remains an own one until 16 others have ended; Java's ids are never used again.
void remove_own_thread(std::int64_t java_id);

// Marks the calling thread until it ends.
inline constinit thread_local bool t_own_thread = false;
inline void become_own_thread() { t_own_thread = true; }
inline bool on_own_thread() { return t_own_thread; }

}  // namespace ddm
