// What a recurrent layer keeps for its backward pass, where that is a form of the device's own.
#pragma once
#include <cstddef>

#include "kernel.h"

namespace cornu::backend {

/// What a device offers besides Backend whose library keeps something of its own.
class RnnReserve {
 public:
  virtual ~RnnReserve() = default;
  /// The bytes of a flat array that takes the place of the output `gates` of an LSTM or GRU over x
  /// (batch, time, in) with `kernel` (in, gates * units), `extra` being empty beside it; where no
  /// backward pass will follow, both may be empty. 0: gates and extra are those of kernel.h.
  virtual size_t rnn_reserve(const Rnn& rnn, DType dtype, const Shape& x, const Shape& kernel) = 0;
};

}  // namespace cornu::backend
