// What a Function is made of: its signatures, their recordings and replays, and its counts.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "function.h"
#include "plan/plan_pool.h"
#include "signature.h"

namespace cornu {

/// How far a signature has got.
enum class Stage : uint8_t {
  fresh,    ///< has no recording
  checked,  ///< the next call is recorded again, without computing, and compared with the last
            ///< recording
  ready,    ///< replays
  eager,    ///< cannot be replayed
};

/// A recording that can be replayed, by several threads at a time.
struct Replay {
  /// One plan for each concurrent caller.
  plan::PlanPool plans;
  Nest result;  ///< how the outputs are nested
  /// @{
  /// Whether the result is one tensor, or there is none: callers then get no nest built.
  bool single, nothing;
  /// @}
  size_t outputs;  ///< number of tensors in the result

  /// Runs a plan on the flattened arguments, which may be overwritten where they are `donated`.
  Nest run(const TensorPointers& tensors, std::vector<plan::StepTime>* times = nullptr,
           bool donated = false);
};

/// The kind of arguments of a call, with its recording.
struct Signature {
  Nest kind;                       ///< structure, shapes and dtypes
  Stage stage = Stage::fresh;      ///< see Stage
  plan::Graph recorded;            ///< as it was recorded, for comparing
  Nest result;                     ///< of the recording
  std::shared_ptr<Replay> replay;  ///< null while there is no plan
  int changes = 0;                 ///< recordings in a row that differed
  uint64_t last_use = 0;           ///< by State::clock
};

/// What a run of the body under a recording gave.
struct Recorded;

/// The members of a Function.
struct Function::State {
  Body body;                         ///< the function to compile
  Options options;                   ///< as given
  std::atomic<bool> enabled = true;  ///< false: every call runs the body
  /// @{
  /// Calls, except those that are recorded.
  std::atomic<int64_t> bodies{0}, replays{0};
  /// @}
  std::mutex recording;      ///< held while a call is recorded
  mutable std::mutex mutex;  ///< of what follows
  /// All signatures seen, at most Options::max_plans of them with plans.
  std::vector<std::shared_ptr<Signature>> signatures;
  /// The one of the latest call, tried first.
  std::shared_ptr<Signature> last;
  uint64_t clock = 0;       ///< counts calls, for last_use
  bool check_next = false;  ///< recheck was called
  FunctionReport report;    ///< counts of recordings and their causes

  /// What to do with a call: replay, or where there is none, record unless the signature is eager.
  struct Way {
    /// The signature of the arguments.
    std::shared_ptr<Signature> signature;
    /// Set where the call is a replay.
    std::shared_ptr<Replay> replay;  ///< set where the call is a replay
    Stage stage;                     ///< at the time of the call
  };
  /// Looks the arguments up under the lock.
  Way find_way(const Nest& arguments);
  /// The signature of these arguments, made if new. The caller holds `mutex`.
  const std::shared_ptr<Signature>& find(const Nest& arguments);
  /// Runs the body, records it, and compares with the recording before.
  Nest record(Signature& signature, Stage stage, const Nest& arguments,
              const TensorPointers& tensors);
  /// The first call of a signature that records without computing, then replays.
  Nest record_first(Signature& signature, const Nest& arguments, const TensorPointers& tensors);
  /// Keeps a recording, and drops the least recently used beyond max_plans.
  void keep(Signature& signature, Recorded& recorded);
  /// The plan of a recording, made on first use.
  std::shared_ptr<Replay> replay_of(Signature& signature);
  /// Runs the body as it is.
  Nest run_body(const Nest& arguments);
  /// "reads a value at file:line", for reports.
  static std::string host_read_text(const std::string& where);
  /// Makes a signature eager for good, with one warning.
  void give_up(Signature& signature, const std::string& why);
  /// Adds a line to the report's causes.
  void note(const std::string& text);
};

}  // namespace cornu
