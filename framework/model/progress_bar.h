// ProgressBar: what fit, evaluate and predict print while they run.
#pragma once
#include <functional>
#include <iosfwd>
#include <string>

#include "arguments.h"

namespace cornu {

/// Prints as Keras does. On a terminal one line is redrawn,
///
///   Epoch 1/20
///   12/23 ━━━━━━━━━━━━━━━━━━━━ 0s 12ms/step - accuracy: 0.9123 - loss: 0.3456
///
/// with the time that is left (at the end the time that it took). Elsewhere, and with
/// Verbose::lines, a pass prints one line when it is done: "23/23 - 1s - 40ms/step - accuracy:
/// 0.9123 - loss: 0.3456". The time of a step leaves the first one out, which builds and warms up.
class ProgressBar {
 public:
  /// Where a bar prints.
  struct Target {
    std::ostream* stream = nullptr;  ///< nothing is printed without one
    bool terminal = false;           ///< whether a line can be redrawn
    bool color = false;              ///< whether escape sequences may color it
    /// Columns of the terminal, asked at each redraw.
    std::function<int()> width = {};
    /// Seconds since some moment.
    std::function<double()> clock = {};
  };
  /// The standard output and the real clock. Colors are left out when the environment variable
  /// NO_COLOR is set.
  static Target standard_output();

  /// `epochs` is the total; "Epoch 1/20" is printed when it is more than one.
  explicit ProgressBar(Verbose verbose, int64_t epochs = 1, Target target = standard_output());
  /// Ends a line that an error left open.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Begins epoch number `epoch` (from 0) of `steps` steps, or of an unknown number (-1).
  void begin(int64_t epoch, int64_t steps);
  /// Begins a pass that is no epoch: evaluate, predict.
  void begin_pass(int64_t steps);
  int64_t epoch() const { return epoch_; }  ///< from 0

  /// Whether a redraw is wanted now that `step` steps are done. Cheap enough for every step: the
  /// clock is looked at every few steps only. Figures need be read only when it holds.
  bool due(int64_t step) {
    step_ = step;
    return step >= next_check_ && check(step);
  }
  /// Redraws the line; `note` stands behind the figures.
  void update(int64_t step, const Logs& logs, const std::string& note = "");
  /// Prints the final line with all figures.
  void finish(const Logs& logs, const std::string& note = "");
  /// Prints lines below everything else; nothing when the bar is silent.
  void print(const std::string& lines);

 private:
  bool check(int64_t step);
  double seconds_per_step(int64_t step, double now) const;
  std::string counter(int64_t step) const;
  std::string bar(int64_t step, int width) const;
  std::string paint(const char* code, const std::string& text) const;

  bool redraws_ = false;
  bool prints_ = false;
  Target target_;
  int64_t epochs_;
  int64_t epoch_ = 0;
  int64_t steps_ = -1;
  int64_t step_ = 0;
  int64_t next_check_ = 0;
  double start_ = 0;
  int64_t first_ = 0;        // the first step that was reported: a group of steps counts as one
  double after_first_ = -1;  // when it was done
  double last_draw_ = 0;
  bool line_open_ = false;
};

/// A figure as bars print it: "0.9123", or "1.2345e-05" when small.
std::string format_figure(double value);
/// A time as bars print it: "41s", "2:05", "1:02:05".
std::string format_duration(double seconds);

}  // namespace cornu
