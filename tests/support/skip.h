// Test cases that cannot run on this machine.
#pragma once
#include <string>

namespace cornu::test {

/// Says that the running test case does not run here, and why; the caller returns then. ctest
/// reports a file of which no case ran as skipped.
void skip(const std::string& why);

}  // namespace cornu::test
