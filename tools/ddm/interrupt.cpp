#include "interrupt.h"

#include <csignal>
#include <initializer_list>

namespace ddm {
namespace {

volatile std::sig_atomic_t g_interrupted = 0;

// A closing terminal sends SIGHUP, and then its shell another one while the target is being
// restored: that ends nothing.
void on_interrupt(int signal) {
  g_interrupted = 1;
  if (signal == SIGHUP) return;
  for (const int next : {SIGINT, SIGTERM}) std::signal(next, SIG_DFL);
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESTART);
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
  // Under nohup the signal stays ignored.
  struct sigaction former {};
  if (sigaction(SIGHUP, nullptr, &former) != 0 || former.sa_handler == SIG_IGN) return;
  sigaction(SIGHUP, &action, nullptr);
}

bool interrupted() { return g_interrupted != 0; }

}  // namespace ddm
