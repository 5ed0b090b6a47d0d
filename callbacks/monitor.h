// Monitor: tells whether a figure of the logs got better. Shared by the callbacks that watch one.
#pragma once
#include <optional>
#include <string>

#include "../framework/base/callback.h"

namespace cornu {
class Model;
}

namespace cornu::callbacks {

/// Watches one figure. With mode "auto" its direction follows from the loss or metric of that name.
class Monitor {
 public:
  /// `who` is the callback's name for messages. Throws ValueError for a mode that is not "auto",
  /// "min" or "max".
  Monitor(std::string who, std::string name, const std::string& mode, double min_delta = 0);

  /// The figure, or nothing (with one warning that lists what there is) when the logs do not have
  /// it. Throws ValueError for an array.
  std::optional<double> find(const Logs& logs);
  /// Whether `value` is better than `reference` by more than min_delta; anything is better than
  /// nothing. Throws ValueError when the direction cannot be told.
  bool improves(double value, std::optional<double> reference, const Model* model);
  const std::string& name() const { return name_; }  ///< of the watched loss or metric

 private:
  enum class Direction { unknown, down, up };
  Direction infer(const Model* model) const;

  std::string who_;
  std::string name_;
  double min_delta_;
  Direction direction_ = Direction::unknown;
  bool warned_ = false;
};

/// "loss, val_loss", and a did-you-mean for `name`.
std::string available_names(const Logs& logs, const std::string& name);

}  // namespace cornu::callbacks
