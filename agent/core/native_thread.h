// Threads of ours that the VM does not know. They may attach themselves.
#pragma once

#include <functional>
#include <thread>

namespace ddm {

// With all signals blocked: the program's signals belong to the program's threads. `name` has at
// most 15 characters. Not joinable: no thread could be started.
std::thread start_native_thread(const char* name, std::function<void()> body);

}  // namespace ddm
