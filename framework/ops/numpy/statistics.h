// Averages, quantiles, differences, counts and correlations.
#pragma once
#include "../op.h"
#include "../optional_list.h"

namespace cornu::ops {

/// The mean over axes, weighted if `weights` are given: of x's shape, or a vector along the one
/// axis of `axis`. A float.
Tensor average(const Tensor& x, const Axes& axis = {}, const std::optional<Tensor>& weights = {});
/// The value below which the fraction q of the elements lies, between elements by `method`:
/// "linear", "lower", "higher", "midpoint" or "nearest". q is in [0, 1] and may have axes, which
/// come first in the result. A float; NaN where an element is NaN.
Tensor quantile(const Tensor& x, const Tensor& q, const Axes& axis = {},
                const std::string& method = "linear", bool keepdims = false);
/// quantile of q / 100.
Tensor percentile(const Tensor& x, const Tensor& q, const Axes& axis = {},
                  const std::string& method = "linear", bool keepdims = false);
/// quantile of 0.5.
Tensor median(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
/// x[i + 1] - x[i] along an axis, n times; of bools whether they differ.
Tensor diff(const Tensor& a, int64_t n = 1, int64_t axis = -1);
/// The integral of y along an axis by the trapezoidal rule, at the points x or in steps of dx.
Tensor trapezoid(const Tensor& y, const std::optional<Tensor>& x = {}, double dx = 1,
                 int64_t axis = -1);
/// A lower and an upper bound, or none: `histogram(x, 4, {0., 4.})`.
using HistogramRange = OptionalList<std::vector<double>>;

/// Options of histogram.
struct HistogramOptions {
  int64_t bins = 10;          ///< intervals
  HistogramRange range = {};  ///< what they divide; none: from the least element to the largest
};

/// Counts of the elements of the vector x in `bins` equal intervals of `range` (of x's own extremes
/// without one), and the bounds of the intervals; floats. The last interval includes its upper
/// bound. Throws ShapeError unless x is a vector, ValueError for less than one bin and for a range
/// of other than two bounds in order.
TensorTuple<2> histogram(const Tensor& x, int64_t bins = 10, const HistogramRange& range = {});
/// The same by names: `histogram(x, {.bins = 4, .range = {0., 4.}})`.
TensorTuple<2> histogram(const Tensor& x, const HistogramOptions& options);
/// How often each number 0, 1, ... occurs in x (n) or in the rows of x (rows, n), or the sum of its
/// weights. As many numbers as the largest in x needs, and at least `minlength`; that is read from
/// the values, so x must have some (UnsupportedError in a graph).
Tensor bincount(const Tensor& x, const std::optional<Tensor>& weights = {}, int64_t minlength = 0,
                bool sparse = false);
/// Correlation coefficients of the rows of x (variables, samples).
Tensor corrcoef(const Tensor& x);
/// x1 (n), x2 (m): sums of products of x2 with sections of x1. `mode` is "valid" (where both
/// overlap wholly), "same" (as many as the longer has) or "full". A float.
Tensor correlate(const Tensor& x1, const Tensor& x2, const std::string& mode = "valid");

}  // namespace cornu::ops
