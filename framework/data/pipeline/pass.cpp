// The watchdog of a pass, and the clocks of its stages.
#include "pass.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "../../../backend/log.h"
#include "../../../backend/random_bits.h"
#include "stage.h"

namespace cornu::data::detail {
namespace {

thread_local Activity* current = nullptr;

int64_t now() { return nanoseconds(Clock::now().time_since_epoch()); }

int64_t of_seconds(double seconds) { return static_cast<int64_t>(std::min(seconds, 1e9) * 1e9); }

// A text of these letters that stays to the end of the process. Names are few: those of kinds of
// stages, and what users call theirs.
const std::string* lasting(const std::string& name) {
  static std::mutex mutex;
  static auto& names = *new std::set<std::string>;  // other threads may read them at exit
  const std::lock_guard lock(mutex);
  return &*names.insert(name).first;
}

std::string stalled(const std::string& stage, int64_t index, int64_t epoch, int64_t passed) {
  return fmt::format("Stage '{}' has been at element {} of epoch {} for {:.3g} s without an end",
                     stage, index, epoch, static_cast<double>(passed) * 1e-9);
}

constexpr const char* beyond_timeout = ", longer than the timeout.";

// Again when it has taken three times as long.
int64_t warn_stalled(const std::string& text, int64_t passed) {
  warn_once(text + ". (Option `timeout` of the pipeline makes that an error.)");
  return 3 * passed;
}

}  // namespace

// --- Runtime
// -----------------------------------------------------------------------------------------------

Runtime::Runtime(std::shared_ptr<const Stage> last, const PipelineOptions& given)
    : options(given), last_(std::move(last)) {
  enlist(last_);
}

void Runtime::enlist(const std::shared_ptr<const Stage>& stage) {
  for (const auto& source : stage->sources()) enlist(source);
  for (const StageRecord& known : records_)
    if (known.stage == stage.get()) return;
  StageRecord& mine = records_.emplace_back();
  mine.stage = stage.get();
  mine.name = lasting(stage->name());
  // A seed of its own for each stage, by its place from the source on.
  const backend::Key key =
      backend::split_at(backend::jax_key(options.seed), static_cast<uint64_t>(records_.size()));
  mine.seed = stage->seed().value_or(static_cast<int64_t>(uint64_t{key.hi} << 32 | key.lo));
}

bool Runtime::threaded() const { return last_->threaded(); }

StageRecord& Runtime::record(const Stage* stage) const {
  for (StageRecord& one : records_)
    if (one.stage == stage) return one;
  throw StateError("A stage was asked for elements by a pipeline that it is not part of.");
}

// --- Pass
// -----------------------------------------------------------------------------------------------

Pass::Pass(std::shared_ptr<Runtime> runtime, int64_t epoch, std::shared_ptr<const Pass> outer)
    : runtime_(std::move(runtime)), epoch_(epoch), outer_(std::move(outer)) {
  if (!outer_ || runtime_->threaded()) watchdog_ = runtime_->crew.start([this] { watch(); });
}

Pass::~Pass() {
  if (!watchdog_) return;
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  runtime_->crew.wait(*watchdog_);
}

void Pass::check() const {
  if (outer_) outer_->check();
  if (!timed_out()) return;
  throw DataError(timeout_text_, timeout_stage_, epoch_, timeout_index_);
}

void Pass::check_stop() const {
  if (!stop_.stop_requested()) return;
  check();
  throw StateError("The walk over this pipeline was closed.");
}

void Pass::watch() {
  const PipelineOptions& options = runtime_->options;
  const double first = std::min(options.stall_after, options.timeout.value_or(1e9));
  const auto period = std::chrono::duration<double>(std::clamp(first / 4, 1e-3, 1.0));
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, period, [&] { return closing_; })) {
    look(now());
    if (!timed_out() || stop_.stop_requested()) continue;
    // What is called then may take its time, or ask for this lock.
    lock.unlock();
    stop();
    lock.lock();
  }
}

// With the lock held.
void Pass::look(int64_t time) {
  const PipelineOptions& options = runtime_->options;
  for (Activity& activity : activities_) {
    const int64_t since = activity.since.load(std::memory_order_acquire);
    const std::string* const stage = activity.stage.load(std::memory_order_acquire);
    const int64_t index = activity.index.load(std::memory_order_relaxed);
    if (!stage || since != activity.since.load(std::memory_order_acquire)) continue;
    const int64_t passed = time - since;
    if (passed < of_seconds(std::min(options.stall_after, options.timeout.value_or(1e9)))) continue;
    const std::string text = stalled(*stage, index, epoch_, passed);
    if (options.timeout && passed >= of_seconds(*options.timeout)) {
      if (timed_out()) continue;
      timeout_text_ = text + beyond_timeout;
      timeout_stage_ = *stage;
      timeout_index_ = index;
      timed_out_.store(true, std::memory_order_release);
    } else if (passed >= activity.warn_at || activity.warned_since != since) {
      activity.warned_since = since;
      activity.warn_at = warn_stalled(text, passed);
    }
  }
}

Pass::Member::Member(Pass& pass) : pass_(pass), before_(current) {
  const std::lock_guard lock(pass.mutex_);
  mine_ = pass.activities_.emplace(pass.activities_.end());
  current = &*mine_;
}

Pass::Member::~Member() {
  current = before_;
  const std::lock_guard lock(pass_.mutex_);
  pass_.activities_.erase(mine_);
}

// --- Search
// ---------------------------------------------------------------------------------------------

Search::Search(const Pass& pass, const Stage& stage, int64_t index)
    : pass_(pass),
      stage_(stage),
      index_(index),
      warn_at_(of_seconds(pass.runtime().options.stall_after)) {}

void Search::missed() {
  pass_.check_stop();
  const std::optional<double> timeout = pass_.runtime().options.timeout;
  const int64_t passed = nanoseconds(Clock::now() - began_), epoch = pass_.epoch();
  if (timeout && passed >= of_seconds(*timeout))
    throw DataError(stalled(stage_.name(), index_, epoch, passed) + beyond_timeout, stage_.name(),
                    epoch, index_);
  if (passed >= warn_at_)
    warn_at_ = warn_stalled(stalled(stage_.name(), index_, epoch, passed), passed);
}

// --- Work
// -----------------------------------------------------------------------------------------------

Work::Work(StageRecord& record, int64_t index, Clock::time_point since)
    : record_(record), start_(Clock::now()) {
  if (!current) return;
  outer_ = current->stage.load(std::memory_order_relaxed);
  outer_index_ = current->index.load(std::memory_order_relaxed);
  outer_since_ = current->since.load(std::memory_order_relaxed);
  current->stage.store(nullptr, std::memory_order_release);
  current->index.store(index, std::memory_order_relaxed);
  current->since.store(nanoseconds(since.time_since_epoch()), std::memory_order_release);
  current->stage.store(record.name, std::memory_order_release);
}

Work::~Work() {
  record_.busy.fetch_add(nanoseconds(Clock::now() - start_), std::memory_order_relaxed);
  if (!current) return;
  current->stage.store(nullptr, std::memory_order_release);
  current->index.store(outer_index_, std::memory_order_relaxed);
  current->since.store(outer_since_, std::memory_order_release);
  current->stage.store(outer_, std::memory_order_release);
}

}  // namespace cornu::data::detail
