// The code of normalization kernels; see normalize.cpp, which fills in what stands between @ signs.
#pragma once

namespace cornu::backend::cuda::normalize_text {

/// Sums that are put together in pairs.
extern const char* const functions;
/// Sums over a part of the rows for each column, into `partial`. Here and below threads take `pack`
/// columns side by side.
extern const char* const column_sums;
extern const char* const collect_moments;
extern const char* const collect_products;
/// Puts the parts of each column together; lines for `column` and `total` follow.
extern const char* const column_finish;
extern const char* const finish_moments;
extern const char* const finish_products;
/// Bodies of a loop over packs of elements.
extern const char* const transform;
extern const char* const derive;
extern const char* const rows_forward;
/// The same for rows whose elements fit the registers of their threads.
extern const char* const rows_forward_held;
extern const char* const rows_backward;
/// The same with the sums over rows, for rows whose elements fit the registers of a warp.
extern const char* const rows_backward_with_sums;

}  // namespace cornu::backend::cuda::normalize_text
