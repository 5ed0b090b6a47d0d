// Graphs of cuDNN operations, and the search for an engine that runs one.
#include "cudnn_graph.h"

#include <algorithm>
#include <optional>

#include "../error.h"
#include "cudnn_library-inl.h"

namespace cornu::backend::cuda::cudnn {
namespace {

cudnnPointwiseMode_t mode_of(Pointwise op) {
  switch (op) {
    case Pointwise::add:
      return CUDNN_POINTWISE_ADD;
    case Pointwise::subtract:
      return CUDNN_POINTWISE_SUB;
    case Pointwise::multiply:
      return CUDNN_POINTWISE_MUL;
    case Pointwise::divide:
      return CUDNN_POINTWISE_DIV;
    case Pointwise::exp:
      return CUDNN_POINTWISE_EXP;
    case Pointwise::log:
      return CUDNN_POINTWISE_LOG;
    case Pointwise::relu:
      return CUDNN_POINTWISE_RELU_FWD;
    case Pointwise::identity:
      return CUDNN_POINTWISE_IDENTITY;
    case Pointwise::greater_equal:
      return CUDNN_POINTWISE_CMP_GE;
    case Pointwise::select:
      return CUDNN_POINTWISE_BINARY_SELECT;
    case Pointwise::index:
      break;
  }
  return CUDNN_POINTWISE_GEN_INDEX;
}

// Keeps the first reason, unless another tells that an engine would do where the driver is.
void note(std::string& why, const std::string& text) {
  if (why.empty() || (why.find("PREREQUISITE") == std::string::npos &&
                      text.find("PREREQUISITE") != std::string::npos))
    why = text;
}

std::vector<cudnnBackendDescriptor_t> handles(const std::vector<Descriptor>& descriptors) {
  std::vector<cudnnBackendDescriptor_t> found;
  for (const Descriptor& d : descriptors) found.push_back(d.get());
  return found;
}

}  // namespace

std::string version(std::string* why) {
  try {
    const size_t v = functions().version();
    return std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." +
           std::to_string(v % 100);
  } catch (const UnsupportedError& error) {
    if (why != nullptr) *why = error.what();
    return "";
  }
}

// ---- the device

struct Target::State {
  cudnnHandle_t handle = nullptr;
  std::optional<Descriptor> properties;

  ~State() {
    if (handle != nullptr) functions().destroy(handle);
  }
  void put(Descriptor& descriptor, cudnnBackendAttributeName_t name) const {
    if (properties) descriptor.set(name, *properties);
  }
};

Target Target::current_device(void* stream) {
  auto state = std::make_shared<State>();
  cudnnStatus_t status = functions().create(&state->handle);
  if (status == CUDNN_STATUS_SUCCESS)
    status = functions().set_stream(state->handle, static_cast<cudaStream_t>(stream));
  if (status != CUDNN_STATUS_SUCCESS)
    throw StateError("cuDNN " + version() + ": expected a device to use, found " +
                     describe(status) +
                     ". Check that the driver and cuDNN are for the same CUDA, or hide cuDNN: "
                     "generated kernels then do its work.");
  return Target(std::move(state));
}

Target Target::described(const std::string& json) {
  auto state = std::make_shared<State>();
  try {
    state->properties.emplace(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR)
        .set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
             static_cast<int64_t>(json.size() + 1), json.c_str())
        .finalize();
  } catch (const Refusal& refusal) {
    throw UnsupportedError("cuDNN " + version() + ": expected the description of a device, found " +
                           refusal.text + ". Use cuDNN 9.8 or newer.");
  }
  return Target(std::move(state));
}

void* Target::handle() const { return state_->handle; }

// ---- plans

struct Plan::State {
  std::shared_ptr<Target::State> target;
  // Declared before the plan, so that it is destroyed after it.
  Descriptor config;  // which the plan may look at
  Descriptor plan;
  size_t workspace = 0;
  std::string engine;
};

Plan::Plan(std::unique_ptr<State> state) : state_(std::move(state)) {}
Plan::~Plan() = default;
Plan::Plan(Plan&&) noexcept = default;
size_t Plan::workspace() const { return state_->workspace; }
const std::string& Plan::engine() const { return state_->engine; }

void Plan::run(std::span<const int64_t> tensors, std::span<void* const> data,
               void* workspace) const {
  try {
    Descriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, tensors)
        .set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR,
             static_cast<int64_t>(data.size()), data.data())
        .set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace)
        .finalize();
    check(functions().execute(state_->target->handle, state_->plan.get(), pack.get()),
          "cudnnBackendExecute");
  } catch (const Refusal& refusal) {
    throw StateError("cuDNN " + version() + ": a plan that was made ready failed: " + refusal.text +
                     ". Run again with CUDNN_LOGLEVEL_DBG=1 for cuDNN's own words.");
  }
}

// ---- graphs

struct Graph::State {
  std::vector<Descriptor> tensors;
  std::vector<Descriptor> operations;
  std::vector<Descriptor> parts;  // convolutions, pointwise modes, ...
  std::string refused;            // the first thing that cuDNN did not take

  const Descriptor& tensor(int64_t number) const {
    return tensors.at(static_cast<size_t>(number - 1));
  }
  // Does `work` unless something was refused before.
  template <class F>
  void build(F&& work) {
    // One refusal makes the whole graph useless; the first reason is the one to report.
    if (!refused.empty()) return;
    try {
      work();
    } catch (const Refusal& refusal) {
      refused = refusal.text;
    }
  }
  Descriptor operation_graph(const Target::State& target) const;
  std::unique_ptr<Plan> try_engine(const Target& target, Descriptor& config, const Wishes& wishes,
                                   std::string& why) const;
};

Graph::Graph() : state_(std::make_unique<State>()) { functions(); }
Graph::~Graph() = default;

int64_t Graph::tensor(const Layout& layout, DType dtype, Kind kind) {
  State& s = *state_;
  const int64_t number = static_cast<int64_t>(s.tensors.size()) + 1;
  s.build([&] {
    Descriptor tensor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    tensor.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, number)
        .set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, data_type(dtype))
        .set(CUDNN_ATTR_TENSOR_DIMENSIONS, layout.sizes)
        .set(CUDNN_ATTR_TENSOR_STRIDES, layout.strides)
        .set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT,
             // Engines with vector loads are only offered for aligned operands.
             kind == Kind::number ? static_cast<int64_t>(size_of(dtype)) : int64_t{16})
        .set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, kind == Kind::inner)
        .set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, kind == Kind::number)
        .finalize();
    s.tensors.push_back(std::move(tensor));
  });
  return number;
}

void Graph::convolution(ConvolutionPass pass, int64_t x, int64_t kernel, int64_t y,
                        const ConvolutionGeometry& geometry, DType compute) {
  struct Names {
    cudnnBackendDescriptorType_t type;
    cudnnBackendAttributeName_t x, kernel, y, convolution, alpha, beta;
  };
  static constexpr Names names[] = {
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA},
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA},
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA}};
  State& s = *state_;
  s.build([&] {
    const Names& n = names[static_cast<int>(pass)];
    Descriptor convolution(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    convolution
        .set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, static_cast<int64_t>(geometry.strides.size()))
        .set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, data_type(compute))
        .set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION)
        .set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, geometry.strides)
        .set(CUDNN_ATTR_CONVOLUTION_DILATIONS, geometry.dilation)
        .set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, geometry.pad_low)
        .set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, geometry.pad_high)
        .finalize();
    // The factors have the type of the sums, or float32.
    const double one = 1, zero = 0;
    const float one_float = 1, zero_float = 0;
    const bool wide = compute == DType::float64;
    const auto type = wide ? CUDNN_TYPE_DOUBLE : CUDNN_TYPE_FLOAT;
    Descriptor operation(n.type);
    operation.set(n.x, s.tensor(x))
        .set(n.kernel, s.tensor(kernel))
        .set(n.y, s.tensor(y))
        .set(n.convolution, convolution)
        .set(n.alpha, type, 1, wide ? static_cast<const void*>(&one) : &one_float)
        .set(n.beta, type, 1, wide ? static_cast<const void*>(&zero) : &zero_float)
        .finalize();
    s.parts.push_back(std::move(convolution));
    s.operations.push_back(std::move(operation));
  });
}

void Graph::matmul(int64_t a, int64_t b, int64_t c) {
  State& s = *state_;
  s.build([&] {
    Descriptor matmul(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
    matmul.set(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT).finalize();
    Descriptor operation(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
    operation.set(CUDNN_ATTR_OPERATION_MATMUL_ADESC, s.tensor(a))
        .set(CUDNN_ATTR_OPERATION_MATMUL_BDESC, s.tensor(b))
        .set(CUDNN_ATTR_OPERATION_MATMUL_CDESC, s.tensor(c))
        .set(CUDNN_ATTR_OPERATION_MATMUL_DESC, matmul)
        .finalize();
    s.parts.push_back(std::move(matmul));
    s.operations.push_back(std::move(operation));
  });
}

void Graph::pointwise(Pointwise op, std::initializer_list<int64_t> inputs, int64_t output,
                      int axis) {
  State& s = *state_;
  s.build([&] {
    Descriptor mode(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    mode.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, mode_of(op))
        .set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE,
             op == Pointwise::index           ? CUDNN_DATA_INT32
             : op == Pointwise::greater_equal ? CUDNN_DATA_BOOLEAN
                                              : CUDNN_DATA_FLOAT);
    if (op == Pointwise::index) mode.set(CUDNN_ATTR_POINTWISE_AXIS, int64_t{axis});
    // By default NaN may become 0.
    if (op == Pointwise::relu)
      mode.set(CUDNN_ATTR_POINTWISE_NAN_PROPAGATION, CUDNN_TYPE_NAN_PROPOGATION,
               CUDNN_PROPAGATE_NAN);
    mode.finalize();
    static constexpr cudnnBackendAttributeName_t names[] = {CUDNN_ATTR_OPERATION_POINTWISE_XDESC,
                                                            CUDNN_ATTR_OPERATION_POINTWISE_BDESC,
                                                            CUDNN_ATTR_OPERATION_POINTWISE_TDESC};
    Descriptor operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    operation.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, mode);
    int i = 0;
    for (int64_t input : inputs) operation.set(names[i++], s.tensor(input));
    operation.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, s.tensor(output)).finalize();
    s.parts.push_back(std::move(mode));
    s.operations.push_back(std::move(operation));
  });
}

void Graph::reduce(bool maximum, int64_t input, int64_t output) {
  State& s = *state_;
  s.build([&] {
    Descriptor mode(CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
    mode.set(CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE,
             maximum ? CUDNN_REDUCE_TENSOR_MAX : CUDNN_REDUCE_TENSOR_ADD)
        .set(CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT)
        .finalize();
    Descriptor operation(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
    operation.set(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, s.tensor(input))
        .set(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, s.tensor(output))
        .set(CUDNN_ATTR_OPERATION_REDUCTION_DESC, mode)
        .finalize();
    s.parts.push_back(std::move(mode));
    s.operations.push_back(std::move(operation));
  });
}

void Graph::reshape(int64_t input, int64_t output) {
  State& s = *state_;
  s.build([&] {
    Descriptor operation(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR);
    operation.set(CUDNN_ATTR_OPERATION_RESHAPE_XDESC, s.tensor(input))
        .set(CUDNN_ATTR_OPERATION_RESHAPE_YDESC, s.tensor(output))
        .finalize();
    s.operations.push_back(std::move(operation));
  });
}

Descriptor Graph::State::operation_graph(const Target::State& target) const {
  const std::vector<cudnnBackendDescriptor_t> list = handles(operations);
  Descriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
            static_cast<int64_t>(list.size()), list.data());
  if (target.handle != nullptr)
    graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, target.handle);
  return std::move(graph.finalize());
}

namespace {

struct Note {
  cudnnBackendNumericalNote_t note;
  const char* name;
};
constexpr Note note_names[] = {{CUDNN_NUMERICAL_NOTE_TENSOR_CORE, "tensor cores"},
                               {CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS, "narrowed inputs"},
                               {CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION, "narrow sums"},
                               {CUDNN_NUMERICAL_NOTE_FFT, "FFT"},
                               {CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC, "not deterministic"},
                               {CUDNN_NUMERICAL_NOTE_WINOGRAD, "Winograd"},
                               {CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_4x4, "tile 4x4"},
                               {CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6, "tile 6x6"},
                               {CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13, "tile 13x13"},
                               {CUDNN_NUMERICAL_NOTE_STRICT_NAN_PROP, "strict NaN"}};

// Whether an engine's notes keep to the wishes; appends their names to `text`.
bool keeps(cudnnBackendDescriptor_t engine, const Wishes& wishes, std::string& text) {
  // Newer libraries may have more notes than this header.
  cudnnBackendNumericalNote_t notes[32];
  int64_t count = 0;
  check(functions().get_attribute(engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                                  CUDNN_TYPE_NUMERICAL_NOTE, 32, &count, notes),
        "cudnnBackendGetAttribute");
  bool kept = true;
  for (int64_t i = 0; i < count; ++i) {
    for (const Note& n : note_names)
      if (n.note == notes[i]) text += std::string(", ") + n.name;
    switch (notes[i]) {
      case CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC:
        kept &= !wishes.deterministic;
        break;
      case CUDNN_NUMERICAL_NOTE_TENSOR_CORE:
        // With float32 operands these compute in TF32.
        kept &= wishes.tensor_cores;
        break;
      // float32 operands as 16-bit floats.
      case CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS:
      case CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION:
      // Transforms round what is small to the precision of what is large; larger tiles lose digits.
      case CUDNN_NUMERICAL_NOTE_FFT:
      case CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6:
      case CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13:
        kept = false;
        break;
      default:
        break;
    }
  }
  return kept;
}

}  // namespace

std::unique_ptr<Plan> Graph::State::try_engine(const Target& target, Descriptor& config,
                                               const Wishes& wishes, std::string& why) const {
  try {
    Descriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    cudnnBackendDescriptor_t raw = engine.get();
    int64_t count = 0;
    check(functions().get_attribute(config.get(), CUDNN_ATTR_ENGINECFG_ENGINE,
                                    CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &raw),
          "cudnnBackendGetAttribute");
    int64_t index = 0;
    check(functions().get_attribute(raw, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1,
                                    &count, &index),
          "cudnnBackendGetAttribute");
    std::string notes;
    if (!keeps(raw, wishes, notes)) {
      if (why.empty()) why = "there are engines, but none is as exact as asked for";
      return nullptr;
    }
    const Target::State& state = target.state();
    Descriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    if (state.handle != nullptr)
      plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, state.handle);
    state.put(plan, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP);
    plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config).finalize();
    const int64_t bytes = plan.integer(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
    // The next engine may do with less.
    if (bytes > static_cast<int64_t>(wishes.workspace)) {
      if (why.empty()) why = "engines ask for " + std::to_string(bytes) + " bytes of workspace";
      return nullptr;
    }
    return std::unique_ptr<Plan>(new Plan(std::make_unique<Plan::State>(
        Plan::State{target.state_, std::move(config), std::move(plan), static_cast<size_t>(bytes),
                    "engine " + std::to_string(index) + notes})));
  } catch (const Refusal& refusal) {
    note(why, refusal.text);
    return nullptr;
  }
}

std::vector<std::unique_ptr<Plan>> Graph::plans(const Target& target, const Wishes& wishes,
                                                size_t most, std::string* why) {
  State& s = *state_;
  std::string reason = s.refused;
  std::vector<std::unique_ptr<Plan>> found;
  const auto try_config = [&](Descriptor& config) {
    if (auto plan = s.try_engine(target, config, wishes, reason)) found.push_back(std::move(plan));
  };
  s.build([&] {
    const Target::State& state = target.state();
    const Descriptor graph = s.operation_graph(state);
    for (cudnnBackendHeurMode_t mode :
         {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_B, CUDNN_HEUR_MODE_FALLBACK}) {
      try {
        Descriptor heuristic(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
        heuristic.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph)
            .set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode);
        state.put(heuristic, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP);
        heuristic.finalize();
        int64_t count = 0;
        check(functions().get_attribute(heuristic.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                        CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, &count, nullptr),
              "cudnnBackendGetAttribute");
        std::vector<Descriptor> configs;
        for (int64_t i = 0; i < count; ++i)
          configs.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
        std::vector<cudnnBackendDescriptor_t> list = handles(configs);
        if (count == 0) continue;
        check(functions().get_attribute(heuristic.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                        CUDNN_TYPE_BACKEND_DESCRIPTOR, count, &count, list.data()),
              "cudnnBackendGetAttribute");
        for (int64_t i = 0; i < count && found.size() < most; ++i)
          try_config(configs[static_cast<size_t>(i)]);
      } catch (const Refusal& refusal) {
        note(reason, refusal.text);
      }
      if (!found.empty()) return;
    }
    const int64_t engines = graph.integer(CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT);
    for (int64_t i = 0; i < engines && found.size() < most; ++i) {
      try {
        Descriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
        engine.set(CUDNN_ATTR_ENGINE_OPERATION_GRAPH, graph).set(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, i);
        state.put(engine, CUDNN_ATTR_ENGINE_DEVICEPROP);
        engine.finalize();
        Descriptor config(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
        config.set(CUDNN_ATTR_ENGINECFG_ENGINE, engine).finalize();
        try_config(config);
      } catch (const Refusal& refusal) {
        note(reason, refusal.text);
      }
    }
  });
  if (!s.refused.empty()) reason = s.refused;
  if (found.empty() && why != nullptr) *why = reason.empty() ? "no engine takes it" : reason;
  return found;
}

std::unique_ptr<Plan> Graph::plan(const Target& target, const Wishes& wishes, std::string* why) {
  auto found = plans(target, wishes, 1, why);
  return found.empty() ? nullptr : std::move(found.front());
}

}  // namespace cornu::backend::cuda::cudnn
