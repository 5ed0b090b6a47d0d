// Begin and end of a walk, and its clock.
#include "stream.h"

#include <fmt/core.h>

#include <exception>
#include <new>

#include "../../../backend/log.h"

namespace cornu::data::detail {

Walker::Walker(std::shared_ptr<Runtime> runtime, std::shared_ptr<const Stage> last, int64_t epoch)
    : runtime_(std::move(runtime)), last_(std::move(last)) {
  last_->begin_pass(epoch);
  pass_ = std::make_shared<Pass>(runtime_, epoch);
}

Walker::~Walker() {
  if (is_of_parent()) {
    // It stays for ever, as what the parent's threads hold of it cannot be let go here.
    static_cast<void>(new (std::nothrow) PassPtr(std::move(pass_)));
    return;
  }
  const int64_t epoch = pass_->epoch();
  pass_.reset();
  try {
    last_->end_pass(epoch);
  } catch (const std::exception& error) {
    // A destructor may not throw.
    warn_once(fmt::format("on_epoch_end of a dataset in a pipeline threw: {}", error.what()));
  } catch (...) {
    warn_once("on_epoch_end of a dataset in a pipeline threw something that is no std::exception.");
  }
}

void Walker::check_process() const {
  if (is_of_parent())
    throw StateError(
        "This walk over a pipeline was begun before fork(), and belongs to the parent. Begin one "
        "in the child: open(epoch, stream.position()) goes on where this one stands.");
}

Walker::Call::Call(Walker& walker) : walker_(walker), member_(*walker.pass_), start_(Clock::now()) {
  if (walker_.left_)
    walker_.runtime_->elsewhere.fetch_add(nanoseconds(start_ - *walker_.left_),
                                          std::memory_order_relaxed);
}

Walker::Call::~Call() {
  const Clock::time_point now = Clock::now();
  walker_.runtime_->waited.fetch_add(nanoseconds(now - start_), std::memory_order_relaxed);
  walker_.runtime_->delivered.fetch_add(delivered_, std::memory_order_relaxed);
  walker_.left_ = now;
}

}  // namespace cornu::data::detail
