// Steps of a plan that a device can do as one piece.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "../../../backend/backend.h"

namespace cornu::plan {

/// What a device captured of one piece of work, for the addresses that it last ran with. Batches
/// that take turns in two or three places, as an allocator's blocks do, are captured for each.
class Captures {
 public:
  /// Does `work`, which uses these addresses: as one piece when it was captured, else step by step.
  /// It is captured when the same addresses come for the second time, for that takes longer than
  /// the work and pays only if they stay. False if the device captures nothing; the work is done
  /// all the same. `captured`, if given, takes the place of `work` while it is captured.
  bool run(backend::Backend& device, const std::vector<void*>& addresses,
           const std::function<void()>& work, const std::function<void()>& captured = {});
  /// Whether the addresses have been new many times in a row.
  bool has_unstable_addresses() const;
  /// Forgets everything: what was captured uses memory that is gone.
  void clear();

 private:
  struct Capture {
    std::vector<void*> addresses;
    std::unique_ptr<backend::Executable> piece;  // none at the addresses' first run
  };
  std::vector<Capture> kept_;  // the last used first
  int misses_ = 0;             // in a row
};

}  // namespace cornu::plan
