// The traces of each thread.
#include "step_trace.h"

namespace cornu {
namespace {

thread_local constinit StepTrace* innermost = nullptr;

}  // namespace

StepTrace::StepTrace() : outer_(innermost) { innermost = this; }
StepTrace::~StepTrace() { innermost = outer_; }

double StepTrace::now() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

StepTrace* StepTrace::current() { return innermost; }

}  // namespace cornu
