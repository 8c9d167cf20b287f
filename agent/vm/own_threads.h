// Which threads are the agent's own: what they allocate is not the program's.
//
// A thread that the VM starts for us is known by Java's id before it runs, since its JVMTI
// ThreadStart event comes before its first line. Any thread; nothing waits.
#pragma once

#include <cstdint>

namespace ddm {

// By java.lang.Thread's id. There are a handful; one too many is not remembered.
void add_own_thread(std::int64_t java_id);
bool is_own_thread(std::int64_t java_id);
// It ends, and its place is free again.
void remove_own_thread(std::int64_t java_id);

// The calling thread, from here to its end.
inline constinit thread_local bool t_own_thread = false;
inline void become_own_thread() { t_own_thread = true; }
inline bool on_own_thread() { return t_own_thread; }

}  // namespace ddm
