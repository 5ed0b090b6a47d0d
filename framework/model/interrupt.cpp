// The handler of SIGINT, which is there only while something runs that looks at its flag.
#include "interrupt.h"

#include <unistd.h>

#include <csignal>
#include <mutex>

namespace cornu {
namespace {

volatile std::sig_atomic_t requested_flag = 0;

std::mutex mutex;
int living = 0;
bool installed = false;

extern "C" void on_interrupt(int) {
  requested_flag = 1;
  // The next one ends the process.
  std::signal(SIGINT, SIG_DFL);
  constexpr char text[] = "\nStopping after this step. Press Ctrl-C again to end at once.\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text, sizeof(text) - 1);
}

}  // namespace

Interrupt::Interrupt() {
  const std::lock_guard lock(mutex);
  if (living++ > 0) return;
  requested_flag = 0;
  struct sigaction now = {};
  sigaction(SIGINT, nullptr, &now);
  installed = now.sa_handler == SIG_DFL;
  if (!installed) return;
  struct sigaction ours = {};
  ours.sa_handler = on_interrupt;
  // What waits for input or output goes on.
  ours.sa_flags = SA_RESTART;
  sigaction(SIGINT, &ours, nullptr);
}

Interrupt::~Interrupt() {
  const std::lock_guard lock(mutex);
  if (--living > 0 || !installed) return;
  // The program may have put its own handler in place meanwhile.
  struct sigaction now = {};
  sigaction(SIGINT, nullptr, &now);
  if (now.sa_handler == on_interrupt) std::signal(SIGINT, SIG_DFL);
}

bool Interrupt::requested() const { return requested_flag != 0; }

}  // namespace cornu
