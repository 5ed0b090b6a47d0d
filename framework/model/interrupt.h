// Interrupt: Ctrl-C ends a run after its current step.
#pragma once

namespace cornu {

/// While one lives, the first SIGINT (Ctrl-C) only sets a flag, and the second ends the process as
/// always. A program that handles or ignores SIGINT itself keeps its way. Runs on several threads
/// share the flag.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// Whether Ctrl-C was pressed since the outermost one began.
  bool requested() const;
};

}  // namespace cornu
