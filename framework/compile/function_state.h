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

enum class Stage : uint8_t {
  fresh,    // has no recording
  checked,  // the next call is recorded again, without computing, and compared with the last
            // recording
  ready,    // replays
  eager,    // cannot be replayed
};

// A recording that can be replayed, by several threads at a time.
struct Replay {
  plan::PlanPool plans;
  Nest result;  // how the outputs are nested
  bool single, nothing;
  size_t outputs;

  Nest run(const TensorPointers& tensors, std::vector<plan::StepTime>* times = nullptr);
};

struct Signature {
  Nest kind;
  Stage stage = Stage::fresh;
  plan::Graph recorded;  // as it was recorded, for comparing
  Nest result;           // of the recording
  std::shared_ptr<Replay> replay;
  int changes = 0;  // recordings in a row that differed
  uint64_t last_use = 0;
};

// What a run of the body under a recording gave.
struct Recorded;

struct Function::State {
  Body body;
  Options options;
  std::atomic<bool> enabled = true;
  std::atomic<int64_t> bodies{0}, replays{0};  // calls, those that are recorded aside
  std::mutex recording;                        // held while a call is recorded
  mutable std::mutex mutex;                    // of what follows
  std::vector<std::shared_ptr<Signature>> signatures;
  std::shared_ptr<Signature> last;
  uint64_t clock = 0;
  bool check_next = false;
  FunctionReport report;

  // What to do with a call: replay, or where there is none, record unless the signature is eager.
  struct Way {
    std::shared_ptr<Signature> signature;
    std::shared_ptr<Replay> replay;
    Stage stage;
  };
  Way find_way(const Nest& arguments);
  const std::shared_ptr<Signature>& find(const Nest& arguments);
  Nest record(Signature& signature, Stage stage, const Nest& arguments,
              const TensorPointers& tensors);
  Nest record_first(Signature& signature, const Nest& arguments, const TensorPointers& tensors);
  void keep(Signature& signature, Recorded& recorded);
  std::shared_ptr<Replay> replay_of(Signature& signature);
  Nest run_body(const Nest& arguments);
  static std::string host_read_text(const std::string& where);
  void give_up(Signature& signature, const std::string& why);
  void note(const std::string& text);
};

}  // namespace cornu
