// A dense layer whose product is an Einstein sum.
#include "einsum_dense.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "../../framework/initializers/random_initializer.h"
#include "../../framework/ops/numpy/einsum.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/numpy/products.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

namespace {

bool has(const std::string& letters, char letter) {
  return letters.find(letter) != std::string::npos;
}

// The letters of "ab,bc->ac", with dots taken off one side.
struct Letters {
  std::string input, kernel, output;
  bool left_dots = false, right_dots = false;
};

Letters read_equation(const std::string& equation) {
  const auto refuse = [&] {
    throw ValueError(fmt::format(
        "option 'equation' is '{}'; its form must be 'X,Y->Z', '...X,Y->...Z' or 'X...,Y->Z...', "
        "with letters for X, Y and Z.",
        equation));
  };
  const size_t comma = equation.find(','), arrow = equation.find("->");
  if (comma == std::string::npos || arrow == std::string::npos || comma > arrow) refuse();
  Letters letters{equation.substr(0, comma), equation.substr(comma + 1, arrow - comma - 1),
                  equation.substr(arrow + 2)};
  auto &x = letters.input, &y = letters.output;
  if (x.starts_with("...") && y.starts_with("...")) {
    letters.left_dots = true;
    x.erase(0, 3);
    y.erase(0, 3);
  } else if (x.ends_with("...") && y.ends_with("...")) {
    letters.right_dots = true;
    x.erase(x.size() - 3);
    y.erase(y.size() - 3);
  }
  for (const std::string& part : {x, letters.kernel, y})
    if (part.empty() || !std::all_of(part.begin(), part.end(),
                                     [](unsigned char c) { return std::isalpha(c) != 0; }))
      refuse();
  return letters;
}

struct Weights {
  Shape kernel, bias;
  std::vector<int64_t> input_axes, output_axes;  // of the kernel
};

// What Keras derives from the equation: the kernel's and the bias's shapes.
Weights weights_of(const EinsumDenseConfig& config, const Letters& letters, const Shape& input) {
  const std::string &x = letters.input, &k = letters.kernel, &y = letters.output;
  const bool left = letters.left_dots, right = letters.right_dots;
  const int elided = input.rank() - static_cast<int>(x.size());
  if (elided < 0 || (elided > 0 && !left && !right))
    throw ShapeError(
        fmt::format("the equation '{}' does not fit input {}.", *config.equation, input.str()));
  // The whole output: the batch, the axes of dots, and what output_shape says.
  Shape output = *config.output_shape;
  output.insert(0, input[0]);
  if (left)
    for (int i = 1; i < elided; ++i) output.insert(1, input[i]);
  if (right)
    for (int i = input.rank() - elided; i < input.rank(); ++i) output.push_back(input[i]);
  const int skipped = left ? elided : 0;
  if (output.rank() != static_cast<int>(y.size()) + elided)
    throw ShapeError(fmt::format(
        "the equation '{}' gives an output of {} axes for input {}, but with output_shape {} it "
        "has {} (the batch comes in front of output_shape).",
        *config.equation, y.size() + static_cast<size_t>(elided), input.str(),
        config.output_shape->str(), output.rank()));
  auto input_size = [&](char c) { return input[skipped + static_cast<int>(x.find(c))]; };
  auto output_size = [&](char c) { return output[skipped + static_cast<int>(y.find(c))]; };

  for (char c : x)
    if (has(y, c) && output_size(c) != Shape::unknown && output_size(c) != input_size(c))
      throw ShapeError(fmt::format(
          "axis '{}' has size {} in input {} and {} in the output {}, but must be the same.", c,
          input_size(c), input.str(), output_size(c), output.str()));
  for (char c : y)
    if (!has(x, c) && !has(k, c))
      throw ValueError(
          fmt::format("axis '{}' of the output of '{}' is neither in the input nor in "
                      "the kernel.",
                      c, *config.equation));
  Weights weights;
  for (size_t i = 0; i < k.size(); ++i) {
    const char c = k[i];
    if (!has(x, c) && !has(y, c))
      throw ValueError(
          fmt::format("axis '{}' of the kernel of '{}' is neither in the input nor in "
                      "the output.",
                      c, *config.equation));
    int64_t size = has(y, c) ? output_size(c) : input_size(c);
    if (size == Shape::unknown && has(x, c)) size = input_size(c);
    if (size == Shape::unknown)
      throw ShapeError(
          fmt::format("axis '{}' of the kernel has no known size, with input {} and "
                      "output_shape {}.",
                      c, input.str(), config.output_shape->str()));
    weights.kernel.push_back(size);
    (has(y, c) ? weights.output_axes : weights.input_axes).push_back(static_cast<int64_t>(i));
  }
  if (!config.bias_axes) return weights;
  size_t first = y.size();
  for (char c : *config.bias_axes) {
    if (!has(y, c))
      throw ValueError(
          fmt::format("option 'bias_axes': '{}' is not an axis of the output '{}'.", c, y));
    first = std::min(first, y.find(c));
  }
  for (size_t i = first; i < y.size(); ++i)
    weights.bias.push_back(has(*config.bias_axes, y[i]) ? output_size(y[i]) : 1);
  for (int i = 0; right && i < elided; ++i) weights.bias.push_back(1);
  return weights;
}

// How GPTQ and AWQ see the kernel. Keras, whose files have this matrix, tells features from
// channels by the sizes of a kernel of three axes.
CalibratedForm calibrated_form(const std::string& x, const std::string& k, const WeightForm& form,
                               bool right_dots) {
  CalibratedForm result{.zero_name = "zero_point"};
  const Shape& shape = form.shape;
  int64_t rows = 1;
  if (shape.rank() == 3)
    rows = shape[0] >= std::max(shape[1], shape[2]) ? 1 : 2;
  else if (shape.rank() != 2)
    return result;
  result.matrix = {shape.slice(0, static_cast<int>(rows)).numel(),
                   shape.slice(static_cast<int>(rows)).numel()};
  // Whether these are the axes that are summed, and the last ones of the inputs.
  const auto count = static_cast<size_t>(rows);
  result.rows_are_inputs = !right_dots && form.summed.size() == count && x.size() >= count &&
                           x.substr(x.size() - count) == k.substr(0, count);
  return result;
}

// The initializer, told which axes of the kernel are inputs when it scales by their number.
Choice<Initializer> with_axes(const Choice<Initializer>& initializer, const Weights& weights) {
  if (!initializer.shared() || initializer->is_function()) return initializer;
  auto dict = serialize(*initializer).get<Value::Dict>();
  for (auto& [key, entry] : dict) {
    if (key != "config" || !entry.is<Value::Dict>()) continue;
    auto config = entry.get<Value::Dict>();
    const Value* in = detail::find(config, "input_axes");
    const Value* out = detail::find(config, "output_axes");
    if (!in || !out || !(in->is_null() || out->is_null())) return initializer;
    for (auto& [name, option] : config) {
      if (name == "input_axes") option = weights.input_axes;
      if (name == "output_axes") option = weights.output_axes;
      // The copy draws what the initializer would, and takes no seed of its own.
      if (const auto* random = dynamic_cast<initializers::RandomInitializer*>(initializer.get());
          random && name == "seed")
        option = random->seed();
    }
    entry = config;
  }
  return Choice<Initializer>(deserialize(dict));
}

}  // namespace

EinsumDenseLayer::EinsumDenseLayer(EinsumDenseConfig c) : KernelLayer(std::move(c)) {
  read_equation(config.equation);
}

void EinsumDenseLayer::build(const Shape& input) {
  const Letters letters = read_equation(config.equation);
  const Weights weights = weights_of(config, letters, input);
  input_rank_ = input.rank();
  kernel = build_quantized(weights.kernel);
  if (!kernel)
    kernel = add_weight({.name = "kernel",
                         .shape = weights.kernel,
                         .initializer = with_axes(config.kernel_initializer, weights),
                         .regularizer = config.kernel_regularizer,
                         .constraint = config.kernel_constraint});
  if (config.bias_axes)
    bias = add_weight({.name = "bias",
                       .shape = weights.bias,
                       .initializer = config.bias_initializer,
                       .regularizer = config.bias_regularizer,
                       .constraint = config.bias_constraint});
  const std::string &x = letters.input, &k = letters.kernel, &y = letters.output;
  for (size_t n = 1; !letters.right_dots && n < x.size() + 1 && n < k.size(); ++n) {
    const std::string rest = k.substr(n);
    if (x.substr(x.size() - n) == k.substr(0, n) && y == x.substr(0, x.size() - n) + rest &&
        (!config.bias_axes || bias.shape() == weights.kernel.slice(static_cast<int>(n))))
      summed_axes_ = static_cast<int>(n);
  }
  if (config.lora_rank) enable_lora(*config.lora_rank, {.lora_alpha = config.lora_alpha});
}

KernelProduct EinsumDenseLayer::product(const Shape& shape) const {
  const Letters letters = read_equation(config.equation);
  const std::string &x = letters.input, &k = letters.kernel, &y = letters.output;
  const int elided = input_rank_ - static_cast<int>(x.size());
  const int skipped = letters.left_dots ? elided : 0;
  KernelProduct product{{.name = "kernel", .shape = shape, .matrix = {1, 1}}, {}, {}, {}};
  WeightForm& form = product.form;
  // The scales stand as the output has the kernel's axes.
  form.scale_shape = Shape(std::vector<int64_t>(y.size() + static_cast<size_t>(elided), 1));
  for (size_t i = 0; i < y.size(); ++i)
    if (const size_t at = k.find(y[i]); at != std::string::npos) {
      form.scale_order.push_back(static_cast<int64_t>(at));
      form.scale_shape[skipped + static_cast<int>(i)] = shape[static_cast<int>(at)];
    }
  for (size_t i = 0; i < k.size(); ++i) {
    const bool summed = !has(y, k[i]);
    form.matrix[summed ? 0 : 1] *= shape[static_cast<int>(i)];
    if (!summed) continue;
    form.summed.push_back(static_cast<int64_t>(i));
    form.scale_order.push_back(static_cast<int64_t>(i));
  }
  for (size_t i = 0; i < x.size(); ++i)
    if (!has(y, x[i])) product.input_summed.push_back(skipped + static_cast<int64_t>(i));
  product.multiply = [equation = *config.equation](const Tensor& x, const Tensor& kernel) {
    return ops::einsum(equation, {x, kernel});
  };
  product.calibrated = calibrated_form(x, k, form, letters.right_dots);
  // Axes of the input that are summed alone are spread by its gradient, which is no product then.
  if (std::all_of(x.begin(), x.end(), [&](char c) { return has(k, c) || has(y, c); })) {
    const auto spelled = [&](const std::string& part) {
      return letters.left_dots ? "..." + part : letters.right_dots ? part + "..." : part;
    };
    product.input_gradient = [equation = fmt::format("{},{}->{}", spelled(y), k, spelled(x))](
                                 const Tensor& dy, const Tensor& kernel) {
      return ops::einsum(equation, {dy, kernel});
    };
    product.kernel_gradient = [equation = fmt::format("{},{}->{}", spelled(x), spelled(y), k)](
                                  const Tensor& x, const Tensor& dy) {
      return ops::einsum(equation, {x, dy});
    };
  }
  return product;
}

Tensor EinsumDenseLayer::call(const Tensor& x, const Call& call) {
  if (adapted()) return config.activation(adapted()->apply(x, kernel, bias, call.is_training()));
  if (summed_axes_ && x.rank() >= *summed_axes_) {
    const int from = x.rank() - *summed_axes_;
    const Shape free = x.shape().slice(0, from), made = kernel.shape().slice(*summed_axes_);
    const Shape summed = kernel.shape().slice(0, *summed_axes_);
    if (x.shape().slice(from) != summed)
      throw ShapeError(
          fmt::format("expected last axes {}, found input {}. Was it built for other "
                      "data?",
                      summed.str(), x.shape().str()));
    const int64_t k = summed.numel(), n = made.numel();
    const Tensor y = ops::linear(ops::reshape(x, {free.numel(), k}), ops::reshape(kernel, {k, n}),
                                 bias ? ops::reshape(bias, {n}) : Tensor());
    return config.activation(ops::reshape(y, concat(free, made)));
  }
  const Tensor y = ops::einsum(config.equation, {x, kernel});
  return config.activation(bias ? y + bias : y);
}

std::shared_ptr<EinsumDenseLayer> EinsumDenseLayer::from_config(const Value::Dict& dict) {
  Value::Dict used = dict;
  std::erase_if(used, [](const auto& e) { return e.first == "gptq_unpacked_column_size"; });
  return LayerOf::from_config(used);
}

Value::Dict EinsumDenseLayer::get_config() const {
  Value::Dict dict = KernelLayer::get_config();
  if (adapted() && own_dtype_policy().quantization_mode() == "gptq")
    dict.emplace_back("gptq_unpacked_column_size",
                      product(adapted()->kernel_shape()).calibrated.matrix[1]);
  return dict;
}

void register_einsum_dense(Catalog& c) { c.add<EinsumDenseLayer>("keras.layers.EinsumDense"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::EinsumDenseLayer, cornu::layers::EinsumDenseConfig>;
template class cornu::layers::KernelLayer<cornu::layers::EinsumDenseLayer,
                                          cornu::layers::EinsumDenseConfig>;
