#include "core/native_thread.h"

#include <pthread.h>
#include <signal.h>

#include <system_error>
#include <utility>

#include "core/log.h"

namespace ddm {

std::thread start_native_thread(const char* name, std::function<void()> body) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  // Faults stay unblocked: a fault whose signal is blocked kills without an error report.
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&all, fault);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread;
  try {
    thread = std::thread([name, body = std::move(body)] {
      pthread_setname_np(pthread_self(), name);
      body();
    });
  } catch (const std::system_error&) {
    log_error("the thread {} could not be started", name);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace ddm
