// SummaryOptions: what Model::summary shows, and how.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cornu {

/// Options of summary, in Keras's order.
struct SummaryOptions {
  /// Characters of a line. Default: 88, or 108 where a column says what layers are connected to,
  /// and 12 more with show_trainable, but no more than the terminal has less 4; a program without
  /// one has 80, or as many as the environment's COLUMNS says. Lines that are longer than the
  /// terminal are cut off.
  std::optional<int64_t> line_length = {};
  /// Where the columns end, as fractions of line_length. Default: {0.45, 0.8, 1}, or {0.3, 0.56,
  /// 0.74, 1} where a column says what layers are connected to.
  std::vector<double> positions = {};
  /// Gets the whole text instead of std::cout.
  std::function<void(const std::string&)> print_fn = {};
  bool expand_nested = false;   ///< also lists the layers of models inside
  bool show_trainable = false;  ///< adds a column that says which layers are trained
  /// The first and the last layer to list, by names or regular expressions of their beginnings.
  /// Default: all.
  std::optional<std::pair<std::string, std::string>> layer_range = {};
  /// Adds columns of the FLOPs and the bytes moved for one sample, which Keras does not have, and a
  /// line with their sums.
  bool show_costs = false;
};

}  // namespace cornu
