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
/// What cuDNN keeps for its backward pass, 5 numbers for each unit of an LSTM and 6 of a GRU, does
/// not fit into `gates` and `extra`, and has to lie in one piece. So forwards keeps nothing and
/// leaves the two as they are, and backwards begins with the forward pass.
std::unique_ptr<Executable> rnn(const Rnn& rnn, std::span<const Operand> inputs,
                                std::span<const Operand> outputs, Context& context);

/// Makes cuDNN's descriptors of a layer, as far as it goes without a device: "" or why not.
std::string try_rnn_descriptors(const Rnn& rnn, const RnnSizes& sizes, DType dtype, bool tf32);

}  // namespace cornu::backend::cuda::cudnn
