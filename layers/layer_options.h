// What layers share: checks of inputs and options, and the kinds of options that only layers have.
#pragma once
#include <initializer_list>
#include <vector>

#include "../framework/base/layer.h"
#include "../framework/ops/convert.h"

namespace cornu::layers {

/// A number for all channels, or one for each: `.scale = 2.0` or `{1.0, 0.5, 0.5}`.
class Numbers {
 public:
  using value_type = double;                                   ///< of a list
  Numbers(double value) : values_{value}, single_(true) {}     ///< one number for all
  Numbers(int value) : Numbers(static_cast<double>(value)) {}  ///< the same

  /// One for each channel, also when there is only one.
  Numbers(std::vector<double> values) : values_(std::move(values)) {}
  Numbers(std::initializer_list<double> values) : values_(values) {}  ///< the same

  bool is_single() const { return single_; }  ///< whether it is one number for all

  /// The numbers; a single one is a list of one.
  const std::vector<double>& values() const { return values_; }
  /// A scalar that takes the dtype of what it meets, or a vector of `dtype`.
  Tensor tensor(DType dtype) const;

 private:
  std::vector<double> values_;
  bool single_ = false;
};

/// `dict` without those of `keys` that are null or false. For options of Keras that Cornu does not
/// have, which files name all the same. Throws UnsupportedError when one of them has a value.
Value::Dict without_unused(const Value::Dict& dict, std::initializer_list<const char*> keys);

/// `dict` without those of `keys` that are null, so that their defaults hold.
Value::Dict without_nulls(const Value::Dict& dict, std::initializer_list<const char*> keys);

/// Throws ShapeError unless the shape has `rank` axes; `layout` names them: "(batch, steps,
/// features)".
void check_rank(const Shape& shape, int rank, const char* layout);
/// The same for at least `rank` axes.
void check_min_rank(const Shape& shape, int rank);
/// Throws ShapeError unless `axis` of the shape has the size with which the weights were made.
void check_axis(const Shape& shape, int axis, int64_t expected);
/// Throws ValueError unless the option is positive.
void check_positive(const char* option, int64_t value);
/// Throws ValueError unless all sizes of the option are positive.
void check_positive(const char* option, const std::vector<int64_t>& sizes);
/// Throws ValueError unless the option is in [0, 1].
void check_fraction(const char* option, double value);
/// Whether the option says "channels_first". Throws ValueError unless it is that or
/// "channels_last".
bool channels_first(const std::string& data_format);

}  // namespace cornu::layers

namespace cornu::detail {

template <>
struct OptionCodec<Axes> {
  static Value encode(const Axes& v) { return v.value(); }
  static Axes decode(const Value& v) { return from_value<Axes>(v); }
};

template <>
struct OptionCodec<layers::Numbers> {
  static Value encode(const layers::Numbers& v);
  static layers::Numbers decode(const Value& v);
};

}  // namespace cornu::detail
