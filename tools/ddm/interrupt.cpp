#include "interrupt.h"

#include <csignal>
#include <initializer_list>

namespace ddm {
namespace {

volatile std::sig_atomic_t g_interrupted = 0;

void on_interrupt(int) { g_interrupted = 1; }

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
  // A closing terminal sends SIGHUP, and then its shell another one while the target is being
  // restored: the handler stays installed. Under nohup the signal stays ignored.
  struct sigaction former {};
  if (sigaction(SIGHUP, nullptr, &former) != 0 || former.sa_handler == SIG_IGN) return;
  action.sa_flags = static_cast<int>(SA_RESTART);
  sigaction(SIGHUP, &action, nullptr);
}

bool interrupted() { return g_interrupted != 0; }

}  // namespace ddm
