// StopAfter: ends a run of fit as a crash would.
#pragma once
#include <cornu/framework/base/callback.h>

namespace cornu::test {

/// What StopAfter throws.
struct Stop {};

/// Throws when this many steps are done and the next one has ended.
class StopAfter : public Callback {
 public:
  explicit StopAfter(int64_t steps) : left_(steps) {}
  void on_train_batch_end(int64_t, Logs&) override {
    if (left_-- == 0) throw Stop();
  }
  bool wants_batch_logs() const override { return false; }

 private:
  int64_t left_;
};

}  // namespace cornu::test
