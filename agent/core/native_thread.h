// Threads of ours that the VM does not know. They may attach themselves.
#pragma once

#include <functional>
#include <thread>

namespace ddm {

// With all signals blocked: the program's signals belong to the program's threads, and the JVM
// would not know the thread that they hit. `name` has at most 15 characters. Not joinable, with a
// line in the log: no thread could be started.
std::thread start_native_thread(const char* name, std::function<void()> body);

}  // namespace ddm
