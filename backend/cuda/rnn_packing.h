// Recurrent layers as a library wants them: sequences by steps, and all weights in one array. Pure
// functions of shapes.
#pragma once
#include <vector>

#include "../kernel.h"

namespace cornu::backend::cuda::cudnn {

struct RnnSizes {
  int64_t batch, time, features, units;
  int64_t gates;  ///< matrices for x, as many as for h: 1, 4 or 3
  friend bool operator==(const RnnSizes&, const RnnSizes&) = default;
};

/// Of operands x (batch, time, features) and kernel (features, gates * units).
RnnSizes rnn_sizes(RnnCell cell, const Shape& x, const Shape& kernel);

/// Where a library keeps weights in its array, in elements: the matrices (units, features) of its
/// gates for x, then those (units, units) for h, and vectors of biases in the same order, -1 where
/// it has none. The gates' order is i, f, g, o for LSTM and r, z, h for GRU.
struct RnnPlaces {
  std::vector<int64_t> matrices, biases;
  int64_t total = 0;
};

/// How the array is filled, and read back: operand `from[p]` goes to part p; 0 is the kernel, 1 the
/// recurrent weights, 2 the biases.
struct RnnPacking {
  Copy pack;
  std::vector<int> from;
  /// The kernel, the recurrent weights and the biases again; all parts read the array.
  Copy unpack[3];
};

/// Without biases if `rnn` has none.
RnnPacking rnn_packing(const Rnn& rnn, const RnnSizes& sizes, const RnnPlaces& places);

/// (batch, time, n) as (time, batch, n) in the order of the walk if `reverse`, and back.
Copy sequence_to_steps(int64_t batch, int64_t time, int64_t n, bool reverse);
Copy steps_to_sequence(int64_t batch, int64_t time, int64_t n, bool reverse);

}  // namespace cornu::backend::cuda::cudnn
