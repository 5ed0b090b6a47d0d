// Averages, quantiles, histograms, differences.
#pragma once
#include "../op.h"

namespace cornu {
class OpCatalog;
namespace ops {

/// The mean over axes, weighted if `weights` are given: of x's shape, or a vector along the one
/// axis of `axis`. A float.
Tensor average(const Tensor& x, const Axes& axis = {}, const std::optional<Tensor>& weights = {});
/// The value below which the share q of the elements lies, between elements by `method`: "linear",
/// "lower", "higher", "midpoint" or "nearest". q is in [0, 1] and may have axes, which come first
/// in the result. A float; NaN where an element is NaN.
Tensor quantile(const Tensor& x, const Tensor& q, const Axes& axis = {},
                const std::string& method = "linear", bool keepdims = false);
/// quantile of q / 100.
Tensor percentile(const Tensor& x, const Tensor& q, const Axes& axis = {},
                  const std::string& method = "linear", bool keepdims = false);
Tensor median(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
/// x[i + 1] - x[i] along an axis, n times; of bools whether they differ.
Tensor diff(const Tensor& a, int64_t n = 1, int64_t axis = -1);
/// The integral of y along an axis by the trapezoidal rule, over the places x or in steps of dx.
Tensor trapezoid(const Tensor& y, const std::optional<Tensor>& x = {}, double dx = 1,
                 int64_t axis = -1);
/// Counts of the elements of the vector x in `bins` equal intervals of `range` (of x's own extremes
/// without one), and the bounds of the intervals; floats. The last interval includes its upper
/// bound.
std::vector<Tensor> histogram(const Tensor& x, int64_t bins = 10,
                              const std::optional<std::vector<double>>& range = {});

/// The same functions of the elements that are not NaN. Where there are none the result is NaN, the
/// index -1, the sum 0, the product 1.
Tensor nansum(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
Tensor nanprod(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
Tensor nanmean(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
Tensor nanvar(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
Tensor nanstd(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
Tensor nanmax(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
Tensor nanmin(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
Tensor nanargmax(const Tensor& x, std::optional<int64_t> axis = {}, bool keepdims = false);
Tensor nanargmin(const Tensor& x, std::optional<int64_t> axis = {}, bool keepdims = false);
Tensor nancumsum(const Tensor& x, std::optional<int64_t> axis = {},
                 std::optional<DType> dtype = {});
Tensor nancumprod(const Tensor& x, std::optional<int64_t> axis = {},
                  std::optional<DType> dtype = {});
Tensor nanquantile(const Tensor& x, const Tensor& q, const Axes& axis = {},
                   const std::string& method = "linear", bool keepdims = false);
Tensor nanpercentile(const Tensor& x, const Tensor& q, const Axes& axis = {},
                     const std::string& method = "linear", bool keepdims = false);
Tensor nanmedian(const Tensor& x, const Axes& axis = {}, bool keepdims = false);

void list_statistics(OpCatalog& catalog);
void list_nan_statistics(OpCatalog& catalog);

}  // namespace ops
}  // namespace cornu
