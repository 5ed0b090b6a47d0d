// Recurrent layers as cuDNN's, of one layer and direction, with sequences of one length.
#include "cudnn_rnn.h"

#include <limits>
#include <utility>

#include "../error.h"
#include "cudnn_device.h"
#include "cudnn_library-inl.h"
#include "fallback.h"

namespace cornu::backend::cuda::cudnn {
namespace {

constexpr size_t aligned(size_t bytes) { return (bytes + 255) / 256 * 256; }

// A descriptor that frees itself.
template <class T>
class Owned {
 public:
  Owned(cudnnStatus_t (*create)(T*), cudnnStatus_t (*destroy)(T)) : destroy_(destroy) {
    check(create(&descriptor_), "the creation of a descriptor");
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { destroy_(descriptor_); }
  T get() const { return descriptor_; }

 private:
  T descriptor_ = nullptr;
  cudnnStatus_t (*destroy_)(T);
};

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

// A layer described to cuDNN. The handle is null where there is no device: then sizes and places
// are not known.
struct RnnLayer {
  RnnLayer(const Rnn& rnn, const RnnSizes& n, DType dtype, bool tf32, cudnnHandle_t device);

  const RnnFunctions& f = rnn_functions();
  const cudnnHandle_t handle;
  const Owned<cudnnDropoutDescriptor_t> no_dropout{f.create_dropout, f.destroy_dropout};
  const Owned<cudnnRNNDescriptor_t> layer{f.create, f.destroy};
  const Owned<cudnnRNNDataDescriptor_t> x{f.create_data, f.destroy_data};
  const Owned<cudnnRNNDataDescriptor_t> y{f.create_data, f.destroy_data};
  const Owned<cudnnTensorDescriptor_t> state{f.create_tensor, f.destroy_tensor};
  size_t weights_bytes = 0, inference_bytes = 0, training_bytes = 0, reserve_bytes = 0;
  RnnPlaces places;

 private:
  void describe(const Rnn& rnn, const RnnSizes& n, DType dtype, bool tf32) const;
  void find_places(const Rnn& rnn, const RnnSizes& n, size_t bytes_of_element);
};

RnnLayer::RnnLayer(const Rnn& rnn, const RnnSizes& n, DType dtype, bool tf32, cudnnHandle_t device)
    : handle(device) {
  describe(rnn, n, dtype, tf32);
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

void RnnLayer::describe(const Rnn& rnn, const RnnSizes& n, DType dtype, bool tf32) const {
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
  check(f.set(layer.get(), CUDNN_RNN_ALGO_STANDARD, mode_of(rnn.cell), bias_of(rnn),
              CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, type,
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

class RnnExecutable : public Executable {
 public:
  RnnExecutable(const Rnn& rnn, const RnnSizes& sizes, std::span<const Operand> inputs,
                std::span<const Operand> outputs, std::unique_ptr<RnnLayer> layer, Context& context)
      : context_(context),
        layer_(std::move(layer)),
        n_(sizes),
        dtype_(inputs[0].dtype),
        backward_(rnn.backward),
        bias_(rnn.bias),
        lstm_(rnn.cell == RnnCell::lstm),
        simple_(rnn.cell == RnnCell::simple),
        packing_(rnn_packing(rnn, sizes, layer_->places)) {
    std::vector<Operand> weights;
    for (int from : packing_.from) weights.push_back(array(*inputs[1 + from].shape));
    pack_ = context.prepare(packing_.pack, weights, one(packing_.pack.shape));
    x_to_steps_ = copy(sequence_to_steps(n_.batch, n_.time, n_.features, rnn.reverse));
    if (!backward_) {
      y_from_steps_ = copy(steps_to_sequence(n_.batch, n_.time, n_.units, false));
    } else {
      // Gradients of y, h and c may be empty, and count as zeros.
      const size_t first = inputs.size() - (lstm_ ? 3 : 2);
      for (size_t i = first; i < inputs.size(); ++i)
        given_[i - first] = inputs[i].shape->numel() > 0;
      const Shape steps{n_.time, n_.batch, n_.units};
      dy_to_steps_ =
          given_[0] ? copy(sequence_to_steps(n_.batch, n_.time, n_.units, false)) : zeros(steps);
      dx_from_steps_ = copy(steps_to_sequence(n_.batch, n_.time, n_.features, rnn.reverse));
      clear_ = zeros(packing_.pack.shape);
      for (int weight = 0; weight < (bias_ ? 3 : 2); ++weight) {
        const Copy& unpack = packing_.unpack[weight];
        const std::vector<Operand> parts(unpack.parts.size(), array(packing_.pack.shape));
        unpack_[weight] = context.prepare(unpack, parts, outputs.subspan(1 + weight, 1));
      }
    }
    place();
  }
  ~RnnExecutable() override {
    if (kept_ != nullptr) context_.allocator().deallocate(kept_, layer_->weights_bytes);
  }

  void run(void* const* data) override {
    char* const scratch = static_cast<char*>(context_.workspace(scratch_bytes_));
    try {
      backward_ ? backward(data, scratch) : forward(data, scratch);
    } catch (const Refusal& refusal) {
      throw StateError("cuDNN " + version() +
                       ": a recurrent layer that was made ready failed: " + refusal.text +
                       ". Run again with CUDNN_LOGLEVEL_DBG=1 for cuDNN's own words.");
    }
  }

  // The packed weights of a forward pass, when all of them rarely change.
  uint32_t inputs_to_prepack(uint32_t stable) override {
    // Operands 1, 2 and 3, as bits. They are packed into one block, so one that changes spoils it.
    const uint32_t weights = bias_ ? 14 : 6;
    return !backward_ && (stable & weights) == weights ? weights : 0;
  }
  void keep(void* const* data) override {
    if (kept_ == nullptr) kept_ = context_.allocator().allocate(layer_->weights_bytes);
    pack(data, kept_);
  }

 private:
  Operand array(const Shape& shape) const { return {&shape, dtype_, nullptr}; }
  std::span<const Operand> one(const Shape& shape) {
    operand_ = array(shape);
    return {&operand_, 1};
  }
  // A copy of a single part: the sizes of what it reads follow from those of what it writes.
  std::unique_ptr<Executable> copy(const Copy& kernel) {
    Shape from = kernel.shape;
    std::swap(from[0], from[1]);
    const Operand source = array(from), target = array(kernel.shape);
    return context_.prepare(kernel, {&source, 1}, {&target, 1});
  }
  std::unique_ptr<Executable> zeros(const Shape& shape) {
    return context_.prepare(Copy{{}, shape, 0, false}, {}, one(shape));
  }

  void place() {
    const RnnLayer& l = *layer_;
    const size_t rows = static_cast<size_t>(n_.time * n_.batch) * size_of(dtype_);
    const size_t of_x = rows * static_cast<size_t>(n_.features);
    const size_t of_y = rows * static_cast<size_t>(n_.units);
    const auto take = [&](size_t& offset, size_t bytes) {
      offset = scratch_bytes_;
      scratch_bytes_ += aligned(bytes);
    };
    take(work_, backward_ ? l.training_bytes : l.inference_bytes);
    take(weights_, l.weights_bytes);
    take(x_, of_x);
    take(y_, of_y);
    if (!backward_) return;
    take(reserve_, l.reserve_bytes);
    take(dweights_, l.weights_bytes);
    take(dx_, of_x);
    take(dy_, of_y);
  }

  // The copies take no scratch memory, so it stays this kernel's.
  void pack(void* const* data, void* weights) {
    std::vector<void*> addresses;
    for (int from : packing_.from) addresses.push_back(data[1 + from]);
    addresses.push_back(weights);
    pack_->run(addresses.data());
  }
  static void run_copy(Executable& copy, void* from, void* to) {
    void* const data[] = {from, to};
    copy.run(data);
  }

  void forward_pass(cudnnForwardMode_t mode, const void* h0, void* h, const void* c0, void* c,
                    const void* weights, size_t work_bytes, size_t reserve_bytes, char* scratch) {
    const RnnLayer& l = *layer_;
    check(l.f.forward(l.handle, l.layer.get(), mode, nullptr, l.x.get(), scratch + x_, l.y.get(),
                      scratch + y_, l.state.get(), h0, h, l.state.get(), c0, c, l.weights_bytes,
                      weights, work_bytes, scratch + work_, reserve_bytes,
                      reserve_bytes > 0 ? scratch + reserve_ : nullptr),
          "cudnnRNNForward");
  }

  void forward(void* const* data, char* scratch) {
    // Inputs: x, kernel, recurrent kernel, bias, h and c; then outputs: y, h, c.
    const int h0 = bias_ ? 4 : 3, y = h0 + (lstm_ ? 2 : 1);
    void* const weights = kept_ != nullptr ? kept_ : scratch + weights_;
    if (kept_ == nullptr) pack(data, weights);
    run_copy(*x_to_steps_, data[0], scratch + x_);
    forward_pass(CUDNN_FWD_MODE_INFERENCE, data[h0], data[y + 1], lstm_ ? data[h0 + 1] : nullptr,
                 lstm_ ? data[y + 2] : nullptr, weights, layer_->inference_bytes, 0, scratch);
    run_copy(*y_from_steps_, scratch + y_, data[y]);
  }

  void backward(void* const* data, char* scratch) {
    const RnnLayer& l = *layer_;
    const int states = lstm_ ? 2 : 1, h0 = bias_ ? 4 : 3, y = h0 + states;
    const int dy = y + (simple_ ? 1 : 3), dx = dy + 1 + states;
    const void* const c0 = lstm_ ? data[h0 + 1] : nullptr;
    // The forward pass is run again, since its reserve would have to be kept from pass to pass.
    pack(data, scratch + weights_);
    run_copy(*x_to_steps_, data[0], scratch + x_);
    forward_pass(CUDNN_FWD_MODE_TRAINING, data[h0], nullptr, c0, nullptr, scratch + weights_,
                 l.training_bytes, l.reserve_bytes, scratch);
    if (given_[0]) {
      run_copy(*dy_to_steps_, data[dy], scratch + dy_);
    } else {
      void* const target = scratch + dy_;
      dy_to_steps_->run(&target);
    }
    const int dh0 = dx + (bias_ ? 4 : 3);
    check(l.f.backward_data(l.handle, l.layer.get(), nullptr, l.y.get(), scratch + y_,
                            scratch + dy_, l.x.get(), scratch + dx_, l.state.get(), data[h0],
                            given_[1] ? data[dy + 1] : nullptr, data[dh0], l.state.get(), c0,
                            lstm_ && given_[2] ? data[dy + 2] : nullptr,
                            lstm_ ? data[dh0 + 1] : nullptr, l.weights_bytes, scratch + weights_,
                            l.training_bytes, scratch + work_, l.reserve_bytes, scratch + reserve_),
          "cudnnRNNBackwardData_v8");
    // cuDNN adds to what is there.
    void* const gradients = scratch + dweights_;
    clear_->run(&gradients);
    check(l.f.backward_weights(l.handle, l.layer.get(), CUDNN_WGRAD_MODE_ADD, nullptr, l.x.get(),
                               scratch + x_, l.state.get(), data[h0], l.y.get(), scratch + y_,
                               l.weights_bytes, gradients, l.training_bytes, scratch + work_,
                               l.reserve_bytes, scratch + reserve_),
          "cudnnRNNBackwardWeights_v8");
    run_copy(*dx_from_steps_, scratch + dx_, data[dx]);
    for (int weight = 0; weight < (bias_ ? 3 : 2); ++weight) {
      std::vector<void*> addresses(packing_.unpack[weight].parts.size(), gradients);
      addresses.push_back(data[dx + 1 + weight]);
      unpack_[weight]->run(addresses.data());
    }
  }

  Context& context_;
  std::unique_ptr<RnnLayer> layer_;
  RnnSizes n_;
  DType dtype_;
  bool backward_, bias_, lstm_, simple_;
  bool given_[3] = {};  // gradients of y, h, c
  RnnPacking packing_;
  Operand operand_{};
  std::unique_ptr<Executable> pack_, x_to_steps_, y_from_steps_, dy_to_steps_, dx_from_steps_,
      clear_, unpack_[3];
  size_t scratch_bytes_ = 0, work_ = 0, reserve_ = 0, weights_ = 0, dweights_ = 0;
  size_t x_ = 0, y_ = 0, dx_ = 0, dy_ = 0;
  void* kept_ = nullptr;
};

}  // namespace

std::unique_ptr<Executable> rnn(const Rnn& rnn, std::span<const Operand> inputs,
                                std::span<const Operand> outputs, Context& context) {
  // Only what both directions know may decide.
  const DType dtype = inputs[0].dtype;
  const size_t count = (rnn.bias ? 5u : 4u) + (rnn.cell == RnnCell::lstm ? 1 : 0);
  if (!is_float(dtype)) return nullptr;
  for (const Operand& operand : inputs.first(count))
    if (operand.dtype != dtype || operand.shape->numel() == 0) return nullptr;
  Device& device = context.part<Device>();
  const auto lost = [&](const std::string& why) {
    tell_fallback(rnn, inputs, outputs, "cuDNN " + version(), why,
                  "a sequence of kernels for each step of time");
    return nullptr;
  };
  if (device.target() == nullptr) return lost(device.why());
  const RnnSizes sizes = rnn_sizes(rnn.cell, *inputs[0].shape, *inputs[1].shape);
  std::unique_ptr<RnnLayer> layer;
  try {
    layer = std::make_unique<RnnLayer>(rnn, sizes, dtype, tf32(),
                                       static_cast<cudnnHandle_t>(device.target()->handle()));
  } catch (const Refusal& refusal) {
    return lost(refusal.text);
  } catch (const UnsupportedError& error) {  // a library without these functions
    return lost(error.what());
  }
  for (const Operand& operand : inputs.subspan(count))
    if (operand.dtype != dtype)
      throw UnsupportedError("cuDNN's recurrent layers: expected all operands of " +
                             std::string(dtype_name(dtype)) + ", found " +
                             operands_text(inputs, outputs) + ". Cast the gradients.");
  auto executable =
      std::make_unique<RnnExecutable>(rnn, sizes, inputs, outputs, std::move(layer), context);
  context.set_path("cuDNN " + version());
  return executable;
}

std::string try_rnn_descriptors(const Rnn& rnn, const RnnSizes& sizes, DType dtype, bool tf32) {
  try {
    RnnLayer(rnn, sizes, dtype, tf32, nullptr);
    return "";
  } catch (const Refusal& refusal) {
    return refusal.text;
  }
}

}  // namespace cornu::backend::cuda::cudnn
