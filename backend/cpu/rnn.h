// What the steps of a recurrent layer work on; shared by the forward and the backward pass.
#pragma once
#include <algorithm>
#include <cstdint>

#include "../kernel.h"
#include "parallel.h"

namespace cornu::backend::cpu {

/// The arrays of kernel.h's Rnn in the type of the computation. Absent ones are null: those that
/// the cell does not have, those of the other pass, and gradients dy, dh, dc that are zero.
template <class T>
struct RnnArrays {
  RnnCell cell;
  bool reverse;
  int64_t batch, time, features, units;
  const T *x, *kernel, *recurrent, *bias, *h0, *c0;
  // Results of the forward pass. `gates` holds the activated gates (z, r, h of GRU); `extra` the
  // carries of LSTM, or what the states add to the candidate of GRU, bias included.
  T *y, *h, *c, *gates, *extra;
  const T *dy, *dh, *dc;
  T *dx, *dkernel, *drecurrent, *dbias, *dh0, *dc0;

  /// Columns of the weights, in multiples of `units`.
  int64_t gate_count() const { return cell == RnnCell::lstm ? 4 : cell == RnnCell::gru ? 3 : 1; }
  /// The row of x that belongs to a step of the walk through time.
  int64_t x_time(int64_t step) const { return reverse ? time - 1 - step : step; }
};

/// parallel_for in as many ranges as there are threads, for rows and columns that have sums of
/// their own: each range reads all weights, or all rows, at each step, so that few are fastest.
template <class F>
void share_out(int64_t count, int64_t work, F&& f) {
  const int64_t parts = std::min<int64_t>(threads_for(work), count);
  parallel_for(parts, work,
               [&](int64_t begin, int64_t end) { f(count * begin / parts, count * end / parts); });
}

/// Both use all threads, and no result depends on how many. Throw MemoryError.
void rnn_forward(const RnnArrays<float>& arrays);
void rnn_forward(const RnnArrays<double>& arrays);
void rnn_backward(const RnnArrays<float>& arrays);
void rnn_backward(const RnnArrays<double>& arrays);

}  // namespace cornu::backend::cpu
