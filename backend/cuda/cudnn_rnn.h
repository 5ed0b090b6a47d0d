// Recurrent layers by cuDNN.
#pragma once
#include <memory>
#include <span>
#include <string>

#include "context.h"
#include "rnn_packing.h"

namespace cornu::backend::cuda::cudnn {

/// Null when cuDNN does not have it: then the composition does both directions, for the choice
/// depends on the layer, the shapes of x and the kernel, and the dtype alone.
///
/// Where `gates` is a flat array of rnn_reserve bytes, it holds what cuDNN keeps for its backward
/// pass. Otherwise forwards leaves gates and `extra` as they are, and backwards begins with the
/// forward pass.
std::unique_ptr<Executable> rnn(const Rnn& rnn, std::span<const Operand> inputs,
                                std::span<const Operand> outputs, Context& context);

/// See RnnReserve. The first call for a layer may measure algorithms.
size_t rnn_reserve(const Rnn& rnn, DType dtype, const Shape& x, const Shape& kernel,
                   Context& context);

/// How a layer is run on a device.
struct RnnChoice {
  int algorithm = -1;        ///< cuDNN's number of it; below 0: none takes the layer
  std::string why;           ///< none does
  size_t reserve_bytes = 0;  ///< what training keeps, in whole units of its alignment
};

/// Makes cuDNN's descriptors of a layer, as far as it goes without a device: "" or why not.
std::string try_rnn_descriptors(const Rnn& rnn, const RnnSizes& sizes, DType dtype, bool tf32);

}  // namespace cornu::backend::cuda::cudnn
