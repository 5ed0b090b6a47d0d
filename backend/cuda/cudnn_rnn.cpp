// Recurrent layers as cuDNN's, of one layer and direction, with sequences of one length.
#include "cudnn_rnn.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "../error.h"
#include "cudnn_device.h"
#include "cudnn_rnn_layer.h"
#include "fallback.h"
#include "measuring.h"

namespace cornu::backend::cuda::cudnn {
namespace {

constexpr size_t aligned(size_t bytes) { return (bytes + 255) / 256 * 256; }

// How many operands, the layer's and its first states, come before all others.
size_t count_of(const Rnn& rnn) {
  return (rnn.bias ? 5u : 4u) + (rnn.cell == RnnCell::lstm ? 1 : 0);
}

// Whether `gates` are what RnnReserve tells of, for a reserve of so many bytes. Of another size it
// is empty, or another algorithm's, if TF32 was allowed or forbidden meanwhile.
bool is_reserve(const Operand& gates, size_t bytes) {
  const size_t element = size_of(gates.dtype);
  return gates.shape->rank() == 1 && gates.shape->numel() > 0 &&
         static_cast<size_t>(gates.shape->numel()) == (bytes + element - 1) / element;
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
        reserved_(!simple_ &&
                  is_reserve(rnn.backward ? inputs[count_of(rnn) + 1] : outputs[lstm_ ? 3 : 2],
                             aligned(layer_->reserve_bytes))),
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
      if (reserved_) {
        y_to_steps_ = copy(sequence_to_steps(n_.batch, n_.time, n_.units, false));
        const Operand& reserve = inputs[count_of(rnn) + 1];
        const Shape& all = *reserve.shape;
        const Operand to{&all, reserve.dtype, nullptr};
        copy_reserve_ = context_.prepare(Copy{{{all, View{0, {1}}, View{0, {1}}}}, all},
                                         {&reserve, 1}, {&to, 1});
      }
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
    take(work_, backward_ || reserved_ ? l.training_bytes : l.inference_bytes);
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
                    const void* weights, size_t work_bytes, void* reserve, char* scratch) {
    const RnnLayer& l = *layer_;
    check(l.f.forward(l.handle, l.layer.get(), mode, nullptr, l.x.get(), scratch + x_, l.y.get(),
                      scratch + y_, l.state.get(), h0, h, l.state.get(), c0, c, l.weights_bytes,
                      weights, work_bytes, scratch + work_,
                      reserve != nullptr ? l.reserve_bytes : 0, reserve),
          "cudnnRNNForward");
  }

  void forward(void* const* data, char* scratch) {
    // Inputs: x, kernel, recurrent kernel, bias, h and c; then outputs: y, h, c, gates, extra.
    const int h0 = bias_ ? 4 : 3, y = h0 + (lstm_ ? 2 : 1);
    void* const weights = kept_ != nullptr ? kept_ : scratch + weights_;
    if (kept_ == nullptr) pack(data, weights);
    run_copy(*x_to_steps_, data[0], scratch + x_);
    forward_pass(reserved_ ? CUDNN_FWD_MODE_TRAINING : CUDNN_FWD_MODE_INFERENCE, data[h0],
                 data[y + 1], lstm_ ? data[h0 + 1] : nullptr, lstm_ ? data[y + 2] : nullptr,
                 weights, reserved_ ? layer_->training_bytes : layer_->inference_bytes,
                 reserved_ ? data[y + (lstm_ ? 3 : 2)] : nullptr, scratch);
    run_copy(*y_from_steps_, scratch + y_, data[y]);
  }

  void backward(void* const* data, char* scratch) {
    const RnnLayer& l = *layer_;
    const int states = lstm_ ? 2 : 1, h0 = bias_ ? 4 : 3, y = h0 + states;
    const int dy = y + (simple_ ? 1 : 3), dx = dy + 1 + states;
    const void* const c0 = lstm_ ? data[h0 + 1] : nullptr;
    pack(data, scratch + weights_);
    run_copy(*x_to_steps_, data[0], scratch + x_);
    void* const reserve = scratch + reserve_;
    if (reserved_) {
      run_copy(*y_to_steps_, data[y], scratch + y_);
      // cuDNN writes to it, but an operand may be asked for again.
      run_copy(*copy_reserve_, data[y + 1], reserve);
    } else {  // nothing was kept, so the forward pass is run again
      forward_pass(CUDNN_FWD_MODE_TRAINING, data[h0], nullptr, c0, nullptr, scratch + weights_,
                   l.training_bytes, reserve, scratch);
    }
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
                            l.training_bytes, scratch + work_, l.reserve_bytes, reserve),
          "cudnnRNNBackwardData_v8");
    // cuDNN adds to what is there.
    void* const gradients = scratch + dweights_;
    clear_->run(&gradients);
    check(l.f.backward_weights(l.handle, l.layer.get(), CUDNN_WGRAD_MODE_ADD, nullptr, l.x.get(),
                               scratch + x_, l.state.get(), data[h0], l.y.get(), scratch + y_,
                               l.weights_bytes, gradients, l.training_bytes, scratch + work_,
                               l.reserve_bytes, reserve),
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
  bool reserved_;       // whether an operand holds cuDNN's reserve
  bool given_[3] = {};  // gradients of y, h, c
  RnnPacking packing_;
  Operand operand_{};
  std::unique_ptr<Executable> pack_, x_to_steps_, y_to_steps_, y_from_steps_, dy_to_steps_,
      dx_from_steps_, copy_reserve_, clear_, unpack_[3];
  size_t scratch_bytes_ = 0, work_ = 0, reserve_ = 0, weights_ = 0, dweights_ = 0;
  size_t x_ = 0, y_ = 0, dx_ = 0, dy_ = 0;
  void* kept_ = nullptr;
};

// Memory for a layer's passes while algorithms are tried.
class Trial {
 public:
  Trial(const RnnSizes& n, DType dtype, const std::vector<std::unique_ptr<RnnLayer>>& layers,
        Context& context)
      : context_(context) {
    const auto bytes = [&](int64_t count) {
      return aligned(static_cast<size_t>(count) * size_of(dtype));
    };
    const auto most = [&](size_t RnnLayer::*size) {
      size_t found = 0;
      for (const auto& layer : layers) found = std::max(found, (*layer).*size);
      return aligned(found);
    };
    const size_t sizes[] = {bytes(n.time * n.batch * n.features),
                            bytes(n.time * n.batch * n.units),
                            bytes(n.batch * n.units),
                            most(&RnnLayer::weights_bytes),
                            most(&RnnLayer::training_bytes),
                            most(&RnnLayer::reserve_bytes)};
    for (const size_t size : sizes) bytes_ += size;
    memory_ = static_cast<char*>(context.allocator().allocate(bytes_));
    char* at = memory_;
    for (int i = 0; i < 6; ++i) {
      places_[i] = at;
      at += sizes[i];
    }
  }
  Trial(const Trial&) = delete;
  ~Trial() { context_.allocator().deallocate(memory_, bytes_); }

  // A step of training. Operands lie over each other: their values do not matter to the speed.
  bool run(const RnnLayer& l) const {
    char *const x = places_[0], *const y = places_[1], *const state = places_[2];
    char *const weights = places_[3], *const work = places_[4], *const reserve = places_[5];
    const cudnnTensorDescriptor_t of_state = l.state.get();
    return l.f.forward(l.handle, l.layer.get(), CUDNN_FWD_MODE_TRAINING, nullptr, l.x.get(), x,
                       l.y.get(), y, of_state, state, nullptr, of_state, state, nullptr,
                       l.weights_bytes, weights, l.training_bytes, work, l.reserve_bytes,
                       reserve) == CUDNN_STATUS_SUCCESS &&
           l.f.backward_data(l.handle, l.layer.get(), nullptr, l.y.get(), y, y, l.x.get(), x,
                             of_state, state, nullptr, nullptr, of_state, state, nullptr, nullptr,
                             l.weights_bytes, weights, l.training_bytes, work, l.reserve_bytes,
                             reserve) == CUDNN_STATUS_SUCCESS &&
           l.f.backward_weights(l.handle, l.layer.get(), CUDNN_WGRAD_MODE_ADD, nullptr, l.x.get(),
                                x, of_state, state, l.y.get(), y, l.weights_bytes, weights,
                                l.training_bytes, work, l.reserve_bytes,
                                reserve) == CUDNN_STATUS_SUCCESS;
  }

 private:
  Context& context_;
  size_t bytes_ = 0;
  char* memory_ = nullptr;
  char* places_[6] = {};
};

// The algorithm that trains a layer fastest on the device; the same for both directions, which
// share the reserve.
RnnChoice choose(const std::string& key, const Rnn& rnn, const RnnSizes& sizes, DType dtype,
                 cudnnHandle_t handle, Context& context) {
  RnnChoice choice;
  std::vector<std::unique_ptr<RnnLayer>> layers;
  std::vector<cudnnRNNAlgo_t> algorithms;
  for (const cudnnRNNAlgo_t algorithm : {CUDNN_RNN_ALGO_STANDARD, CUDNN_RNN_ALGO_PERSIST_STATIC,
                                         CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H}) {
    try {
      layers.push_back(std::make_unique<RnnLayer>(rnn, sizes, dtype, tf32(), handle, algorithm));
      algorithms.push_back(algorithm);
    } catch (const Refusal& refusal) {
      if (choice.why.empty()) choice.why = refusal.text;
    } catch (const UnsupportedError& error) {  // a library without these functions
      choice.why = error.what();
      return choice;
    }
    if (layers.empty() || !may_measure()) break;  // the others are not more general
  }
  if (layers.empty()) return choice;
  size_t best = 0;
  if (layers.size() > 1) {
    std::string ways = "cuDNN " + version() + "\nrnn " + key;
    for (const cudnnRNNAlgo_t algorithm : algorithms)
      ways += " " + std::to_string(static_cast<int>(algorithm));
    std::optional<Trial> trial;
    // Without memory for trials it is the first.
    best = fastest(ways, context, layers.size(), [&](size_t i) {
      if (!trial) trial.emplace(sizes, dtype, layers, context);
      return trial->run(*layers[i]);
    });
  }
  choice.algorithm = algorithms[best];
  choice.reserve_bytes = aligned(layers[best]->reserve_bytes);
  return choice;
}

// What was chosen for a layer, once.
RnnChoice chosen(const Rnn& rnn, DType dtype, const Shape& x, const Shape& kernel, Device& device,
                 Context& context) {
  const std::string key =
      fmt::format("{}{} {} {} {}{}", static_cast<int>(rnn.cell), rnn.bias ? " bias" : "",
                  dtype_name(dtype), x.str(), kernel.str(), tf32() ? " tf32" : "");
  return device.rnn(key, [&] {
    return choose(key, rnn, rnn_sizes(rnn.cell, x, kernel), dtype,
                  static_cast<cudnnHandle_t>(device.target()->handle()), context);
  });
}

}  // namespace

std::unique_ptr<Executable> rnn(const Rnn& rnn, std::span<const Operand> inputs,
                                std::span<const Operand> outputs, Context& context) {
  // Only what both directions know may decide.
  const DType dtype = inputs[0].dtype;
  const size_t count = count_of(rnn);
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
  const Shape &x = *inputs[0].shape, &kernel = *inputs[1].shape;
  const RnnChoice choice = chosen(rnn, dtype, x, kernel, device, context);
  if (choice.algorithm < 0) return lost(choice.why);
  const RnnSizes sizes = rnn_sizes(rnn.cell, x, kernel);
  auto layer = std::make_unique<RnnLayer>(rnn, sizes, dtype, tf32(),
                                          static_cast<cudnnHandle_t>(device.target()->handle()),
                                          static_cast<cudnnRNNAlgo_t>(choice.algorithm));
  // But for the gates and what else is kept for composed kernels, which cuDNN does not read.
  const size_t kept = rnn.backward && rnn.cell != RnnCell::simple ? 2 : 0;
  for (size_t i = count; i < inputs.size(); ++i)
    if (inputs[i].dtype != dtype && !(i > count && i <= count + kept))
      throw UnsupportedError("cuDNN's recurrent layers: expected all operands of " +
                             std::string(dtype_name(dtype)) + ", found " +
                             operands_text(inputs, outputs) + ". Cast the gradients.");
  auto executable =
      std::make_unique<RnnExecutable>(rnn, sizes, inputs, outputs, std::move(layer), context);
  static constexpr const char* names[] = {"standard", "persistent", "", "persistent, small"};
  context.set_path(fmt::format("cuDNN {}, {} algorithm", version(), names[choice.algorithm]));
  return executable;
}

size_t rnn_reserve(const Rnn& rnn, DType dtype, const Shape& x, const Shape& kernel,
                   Context& context) {
  if (!is_float(dtype) || rnn.cell == RnnCell::simple || x.numel() == 0 || kernel.numel() == 0)
    return 0;
  Device& device = context.part<Device>();
  if (device.target() == nullptr) return 0;
  return chosen(rnn, dtype, x, kernel, device, context).reserve_bytes;
}

std::string try_rnn_descriptors(const Rnn& rnn, const RnnSizes& sizes, DType dtype, bool tf32) {
  try {
    const RnnLayer layer(rnn, sizes, dtype, tf32, nullptr);
    return "";
  } catch (const Refusal& refusal) {
    return refusal.text;
  }
}

}  // namespace cornu::backend::cuda::cudnn
