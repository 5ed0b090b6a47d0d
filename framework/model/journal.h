// Journal: what a run of fit notes of its steps, so that any of them can be taken again.
#pragma once
#include <atomic>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "background_writer.h"
#include "journal_options.h"
#include "run_state.h"
#include "run_time.h"

namespace cornu {

/// A step as a journal knows it.
struct JournalStep {
  int64_t epoch = 0;  ///< from 0
  int64_t step = 0;   ///< of the epoch, from 0
  double loss = 0;    ///< that it reported: the mean of the epoch so far; NaN for none
  bool operator==(const JournalStep&) const = default;  ///< the same numbers
};

/// Writes a journal: "steps.bin", 4 bytes a step, and states of the run,
/// "state-<epoch>-<step>.zip" (those of BackupOptions), from a thread of its own. States come as
/// often as the options' fraction of the run's time allows, and thin out as the run grows.
class Journal {
 public:
  /// Makes the folder. Throws FileError when that is impossible, ValueError for options out of
  /// range.
  explicit Journal(JournalOptions options);
  /// Writes what is noted, without a word where that fails.
  ~Journal();

  /// Begins anew: an earlier run's files go. Throws FileError.
  void begin();
  /// Goes on behind the steps before this one, as a run that is resumed does: later ones go. Begins
  /// anew where there are none. Throws FileError.
  void resume(int64_t epoch, int64_t step);
  /// Whether a state may be kept before the next step.
  bool due() { return (!any_state_ || steps_ >= next_look_) && due_now(); }
  /// Begins to write a state. Throws FileError when the one before could not be written.
  void keep(RunState state);
  /// Notes a step and the loss that it reported (a scalar), which is read later.
  void note(int64_t epoch, int64_t step, const Tensor& loss);
  /// The same of a loss that is at hand.
  void note(int64_t epoch, int64_t step, float loss) {
    begin_step(epoch, step);
    words_.push_back(word_of(loss));
  }
  /// Writes what is noted. Throws FileError.
  void flush();
  /// flush, and waits for the states.
  void finish();
  const JournalOptions& options() const { return options_; }  ///< as given

 private:
  bool due_now();
  void write(const RunState& state);
  void thin_out();

  // The file is words of 32 bits, least significant bytes first. A word is a float, the loss of the
  // step after the one before, unless it is one of these NaNs, which no loss is noted as.
  static constexpr uint32_t wide = 0xfffffffd;  // the next two words are a double, a step's loss
  static constexpr uint32_t jump = 0xfffffffe;  // the next two are the epoch and number of a step
  static uint32_t word_of(float loss) {
    const uint32_t word = std::bit_cast<uint32_t>(loss);
    return word >= wide ? 0xffc00000 : word;
  }
  void begin_step(int64_t epoch, int64_t step) {
    if (words_.size() >= words_at_most_) flush_now_and_then();
    if (epoch != epoch_ || step != step_) jump_to(epoch, step);
    ++step_;
    ++steps_;
  }
  void jump_to(int64_t epoch, int64_t step);
  void flush_now_and_then();
  struct Reading;
  static Reading read(const std::string& folder);
  friend class JournalReader;

  JournalOptions options_;
  std::vector<uint32_t> words_;                    // not yet in the file
  std::vector<std::pair<size_t, Tensor>> unread_;  // wide losses among these, to be read still
  size_t words_at_most_ = 64;
  int64_t epoch_ = -1, step_ = -1;  // of the next step, where the file goes on without a jump
  Stopwatch since_flush_;
  std::ofstream file_;
  int64_t steps_ = 0;       // noted by the run
  int64_t last_state_ = 0;  // how many they were at the latest state
  int64_t next_look_ = 0;   // how many they are when a state may be due
  bool any_state_ = false;
  Stopwatch watch_;
  std::atomic<double> spent_ = 0, longest_ = 0;  // seconds that states took
  Stopwatch asked_;                              // since the step has waited for the latest state
  double blocked_ = 0, longest_blocked_ = 0;     // seconds that steps waited for states
  BackgroundWriter writer_;
};

/// Reads the journal of a run.
class JournalReader {
 public:
  /// Throws FileError where the folder has no journal, or one of another format.
  explicit JournalReader(const std::string& folder);
  int64_t size() const { return static_cast<int64_t>(steps_.size()); }  ///< steps of the run
  /// A step by its number in the run. Throws ValueError that says which there are.
  const JournalStep& operator[](int64_t step) const;
  /// The number in the run of a step of an epoch, both from 0. Throws ValueError likewise.
  int64_t find(int64_t epoch, int64_t step) const;
  /// The latest state before a step. Throws FileError when none can be read.
  RunState state_before(const JournalStep& step) const;

 private:
  std::string folder_;
  std::vector<JournalStep> steps_;
};

}  // namespace cornu
