// Recurrent layers as one operation over whole sequences.
#pragma once
#include "../../../backend/kernel.h"
#include "../../tensor/tensor.h"

namespace cornu::ops {

/// Weights and first states of a recurrent layer; see kernel.h's Rnn for the formulas.
struct RnnOperands {
  Tensor kernel;     ///< (features, gates * units)
  Tensor recurrent;  ///< (units, gates * units)
  Tensor bias = {};  ///< (gates * units), of GRU (2, 3 * units); empty: none
  Tensor h;          ///< (batch, units)
  Tensor c = {};     ///< (batch, units), of LSTM only
};

/// Outputs of all steps and the last states.
struct RnnResult {
  Tensor y;       ///< (batch, time, units), in the order of the walk through time
  Tensor h;       ///< (batch, units)
  Tensor c = {};  ///< (batch, units), of LSTM only
};

/// A recurrent layer with tanh and sigmoids over x (batch, time, features), from the last step to
/// the first with `reverse`. Operands are converted to the dtype of x and the kernel, which is a
/// float; 16-bit types are computed in float32. It can be differentiated once. Throws ShapeError
/// when an operand does not fit.
RnnResult rnn(backend::RnnCell cell, const Tensor& x, const RnnOperands& operands,
              bool reverse = false);

}  // namespace cornu::ops
