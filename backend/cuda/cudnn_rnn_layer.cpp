// Descriptors of recurrent layers.
#include "cudnn_rnn_layer.h"

#include <limits>

namespace cornu::backend::cuda::cudnn {
namespace {

cudnnRNNMode_t mode_of(RnnCell cell) {
  switch (cell) {
    case RnnCell::lstm:
      return CUDNN_LSTM;
    case RnnCell::gru:
      return CUDNN_GRU;
    case RnnCell::simple:
      break;
  }
  return CUDNN_RNN_TANH;
}

cudnnRNNBiasMode_t bias_of(const Rnn& rnn) {
  // A GRU multiplies the recurrent product, bias included, by its reset gate, so it needs a bias of
  // its own; elsewhere two would only be added.
  if (!rnn.bias) return CUDNN_RNN_NO_BIAS;
  return rnn.cell == RnnCell::gru ? CUDNN_RNN_DOUBLE_BIAS : CUDNN_RNN_SINGLE_INP_BIAS;
}

}  // namespace

RnnLayer::RnnLayer(const Rnn& rnn, const RnnSizes& n, DType dtype, bool tf32, cudnnHandle_t device,
                   cudnnRNNAlgo_t algorithm)
    : handle(device) {
  describe(rnn, n, dtype, tf32, algorithm);
  if (handle == nullptr) return;
  check(f.weights_size(handle, layer.get(), &weights_bytes), "cudnnGetRNNWeightSpaceSize");
  const auto measure = [&](cudnnForwardMode_t mode, size_t& scratch, size_t& reserve) {
    check(f.scratch_sizes(handle, layer.get(), mode, x.get(), &scratch, &reserve),
          "cudnnGetRNNTempSpaceSizes");
  };
  measure(CUDNN_FWD_MODE_INFERENCE, inference_bytes, reserve_bytes);
  // Last, since its reserve is the one that counts: inference has none.
  measure(CUDNN_FWD_MODE_TRAINING, training_bytes, reserve_bytes);
  find_places(rnn, n, size_of(dtype));
}

void RnnLayer::describe(const Rnn& rnn, const RnnSizes& n, DType dtype, bool tf32,
                        cudnnRNNAlgo_t algorithm) const {
  const auto size = [](int64_t value) {
    if (value > std::numeric_limits<int>::max()) throw Refusal{"a size beyond cuDNN's integers"};
    return static_cast<int>(value);
  };
  const cudnnDataType_t type = data_type(dtype);
  const bool narrow = dtype == DType::float16 || dtype == DType::bfloat16;
  // The default would let cuDNN round float32 to TF32.
  const bool exact = dtype == DType::float32 && !tf32;
  if (handle != nullptr)
    check(f.set_dropout(no_dropout.get(), handle, 0, nullptr, 0, 0), "cudnnSetDropoutDescriptor");
  check(f.set(layer.get(), algorithm, mode_of(rnn.cell), bias_of(rnn), CUDNN_UNIDIRECTIONAL,
              CUDNN_LINEAR_INPUT, type,
              dtype == DType::float64 ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT,
              narrow  ? CUDNN_TENSOR_OP_MATH
              : exact ? CUDNN_FMA_MATH
                      : CUDNN_DEFAULT_MATH,
              size(n.features), size(n.units), size(n.units), 1,
              handle != nullptr ? no_dropout.get() : nullptr, CUDNN_RNN_PADDED_IO_DISABLED),
        "cudnnSetRNNDescriptor_v8");
  // All sequences have one length, so the packed layout is simply step after step.
  const std::vector<int> lengths(static_cast<size_t>(n.batch), size(n.time));
  for (const auto& [data, width] :
       {std::pair(x.get(), size(n.features)), std::pair(y.get(), size(n.units))})
    check(f.set_data(data, type, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED, size(n.time),
                     size(n.batch), width, lengths.data(), nullptr),
          "cudnnSetRNNDataDescriptor");
  const int sizes[] = {1, size(n.batch), size(n.units)};
  const int strides[] = {size(n.batch * n.units), size(n.units), 1};
  check(f.set_tensor(state.get(), type, 3, sizes, strides), "cudnnSetTensorNdDescriptor");
}

void RnnLayer::find_places(const Rnn& rnn, const RnnSizes& n, size_t bytes_of_element) {
  // cuDNN adds to this address and reads nothing there.
  char* const base = reinterpret_cast<char*>(size_t{1} << 20);
  const Owned<cudnnTensorDescriptor_t> matrix{f.create_tensor, f.destroy_tensor};
  const Owned<cudnnTensorDescriptor_t> bias{f.create_tensor, f.destroy_tensor};
  const auto place = [&](void* address) {
    const auto bytes = static_cast<size_t>(static_cast<char*>(address) - base);
    if (bytes % bytes_of_element != 0 || bytes >= weights_bytes)
      throw Refusal{"weights of a recurrent layer where none were expected"};
    return static_cast<int64_t>(bytes / bytes_of_element);
  };
  const auto expect = [&](cudnnTensorDescriptor_t tensor, int64_t rows, int64_t columns) {
    cudnnDataType_t type;
    int rank = 0, sizes[3] = {}, strides[3] = {};
    check(f.get_tensor(tensor, 3, &type, &rank, sizes, strides), "cudnnGetTensorNdDescriptor");
    if (rank != 3 || sizes[0] != 1 || sizes[1] != rows || sizes[2] != columns)
      throw Refusal{"weights of a recurrent layer in an unknown shape"};
  };
  for (int id = 0; id < static_cast<int>(2 * n.gates); ++id) {
    const bool of_x = id < n.gates;
    // cuDNN numbers the matrices for the input first, then those for the state.
    void *matrix_at = nullptr, *bias_at = nullptr;
    check(f.weights_place(handle, layer.get(), 0, weights_bytes, base, id, matrix.get(), &matrix_at,
                          bias.get(), &bias_at),
          "cudnnGetRNNWeightParams");
    expect(matrix.get(), n.units, of_x ? n.features : n.units);
    places.matrices.push_back(place(matrix_at));
    const bool wanted = rnn.bias && (of_x || rnn.cell == RnnCell::gru);
    // A layout that is not the expected one is refused, not guessed at: it would give wrong numbers
    // silently.
    if (wanted != (bias_at != nullptr))
      throw Refusal{"biases of a recurrent layer other than asked for"};
    if (wanted) expect(bias.get(), n.units, 1);
    places.biases.push_back(wanted ? place(bias_at) : -1);
  }
  places.total = static_cast<int64_t>(weights_bytes / bytes_of_element);
}

}  // namespace cornu::backend::cuda::cudnn
