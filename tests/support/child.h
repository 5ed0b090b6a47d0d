// Tests that fork.
#pragma once
#include <cornu/framework/tensor/device.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>

#include "catch.h"

namespace cornu::test {

/// Whether a forked child can compute; if not, says that the test is left out. A GPU is of no use
/// to a process that is forked after it was looked for.
inline bool children_compute() {
  if (default_device().is_cpu()) return true;
  WARN("Not tested: children of this process cannot use the GPU");
  return false;
}

/// Runs f in a child, which `during(child)` may kill or interrupt; its wait status. 3 is what it
/// exits with when f throws.
template <class F, class During>
int in_child(F&& f, During&& during) {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGINT, SIG_DFL);  // Catch2 has one of its own
    try {
      f();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "child: %s\n", error.what());
      _exit(3);
    } catch (...) {
      _exit(3);
    }
    _exit(0);
  }
  during(child);
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

}  // namespace cornu::test
