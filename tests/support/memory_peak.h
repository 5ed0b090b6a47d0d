// How much memory a piece of a test takes, whatever the process took before.
#pragma once

namespace cornu::test {

class MemoryPeak {
 public:
  /// Begins to measure.
  MemoryPeak();
  /// The most resident memory since then beyond what there was.
  long megabytes() const;

 private:
  long before_;
};

}  // namespace cornu::test
