#include "core/native_thread.h"

#include "core/log.h"
#include "core/unattached_thread.h"

namespace ddm {

std::thread start_native_thread(const char* name, std::function<void()> body) {
  std::thread thread = start_unattached_thread(name, std::move(body));
  if (!thread.joinable()) log_error("the thread {} could not be started", name);
  return thread;
}

}  // namespace ddm
