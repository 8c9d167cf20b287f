// Agent threads that the VM does not know. They may attach themselves.
#pragma once

#include <functional>
#include <thread>

namespace ddm {

// The thread blocks all asynchronous signals: they are meant for the program's threads, and
// HotSpot's handlers do not expect an unattached thread. `name` has at most 15 characters. If no
// thread could be started, the result is not joinable and the failure is logged.
std::thread start_native_thread(const char* name, std::function<void()> body);

}  // namespace ddm
