// Counting operations by kernel.
#include "cost.h"

#include <cmath>

namespace cornu {
namespace {

double elements(const Shape& shape) { return static_cast<double>(shape.numel()); }

struct Flops {
  std::span<const Tensor> inputs;
  std::span<const TensorSpec> outputs;

  double out() const { return elements(outputs[0].shape); }
  double operator()(const backend::Fused& k) const {
    return out() * static_cast<double>(k.program->instructions().size());
  }
  double operator()(const backend::MultiTensorFused& k) const {
    double all = 0;
    for (const TensorSpec& output : outputs) all += elements(output.shape);
    const auto& program = *k.each.program;
    return all * static_cast<double>(program.instructions().size()) /
           static_cast<double>(program.outputs().size());
  }
  double operator()(const backend::Reduce& k) const {
    return elements(k.shape) * static_cast<double>(k.program->instructions().size() + 1);
  }
  double operator()(const backend::Matmul& k) const {
    const Shape& a = inputs[0].shape();
    return 2 * elements(outputs[0].shape) *
           static_cast<double>(a[a.rank() - (k.transpose_a ? 2 : 1)]);
  }
  double operator()(const backend::Conv& k) const {
    // Each element of the forward result is a sum over one filter.
    const Shape& kernel =
        k.pass == backend::ConvPass::backward_weights ? outputs[0].shape : inputs[1].shape();
    const Shape& y = k.pool                                       ? k.unpooled
                     : k.pass == backend::ConvPass::forward       ? outputs[0].shape
                     : k.pass == backend::ConvPass::backward_data ? inputs[0].shape()
                                                                  : inputs[1].shape();
    return 2 * elements(y) * elements(kernel) / static_cast<double>(kernel.back());
  }
  double operator()(const backend::Pool& k) const {
    double window = 1;
    for (int64_t w : k.window) window *= static_cast<double>(w);
    return out() * window;
  }
  double operator()(const backend::Softmax&) const { return 5 * elements(inputs[0].shape()); }
  // Moves compute nothing; their cost is in the bytes.
  double operator()(const backend::Copy&) const { return 0; }
  double operator()(const backend::Gather&) const { return 0; }
  double operator()(const backend::Scatter&) const { return elements(inputs[2].shape()); }
  double operator()(const backend::Sort&) const {
    const double n = elements(inputs[0].shape());
    return n * std::log2(std::max(n, 2.0));
  }
  double operator()(const backend::Cumulative&) const { return out(); }
  double operator()(const backend::Random&) const { return 20 * out(); }
  double operator()(const backend::Normalize& k) const {
    return (k.backward ? 11 : 8) * elements(inputs[0].shape());
  }
  double operator()(const backend::Rnn& k) const {
    // Two products for each step forwards, four backwards.
    const Shape &x = inputs[0].shape(), &kernel = inputs[1].shape(), &recurrent = inputs[2].shape();
    const double steps = static_cast<double>(x[0]) * static_cast<double>(x[1]);
    return (k.backward ? 4 : 2) * steps * (elements(kernel) + elements(recurrent));
  }
  double operator()(const backend::Attention& k) const {
    const Shape &q = inputs[0].shape(), &key = inputs[1].shape();
    const double pairs = static_cast<double>(q[0]) * static_cast<double>(q[1]) *
                         static_cast<double>(q[2]) * static_cast<double>(key[1]);
    // Two products forwards; backwards five, one of which computes the scores again.
    return (k.backward ? 10 : 4) * pairs * static_cast<double>(q[3]) * (k.causal ? 0.5 : 1.0);
  }
  // Of n x n matrices, by the usual count: a third of n^3 products and sums for Cholesky, and so
  // on.
  double operator()(const backend::Linalg& k) const {
    using Op = backend::LinalgOp;
    const Shape& a = inputs[0].shape();
    const double n = static_cast<double>(a.back());
    switch (k.op) {
      case Op::cholesky:
        return elements(a) * n / 3;
      case Op::lu:
        return elements(a) * n * 2 / 3;
      case Op::qr:
        return elements(a) * n * 4 / 3;
      case Op::eigh:
        return elements(a) * n * 9;
      case Op::svd:
        return elements(a) * n * 22;
      case Op::solve:
        return elements(a) * n * 2 / 3 + 2 * out() * n;
      case Op::solve_triangular:
        return out() * n;
    }
    return 0;
  }
  double operator()(const backend::Fft&) const {
    const double n = static_cast<double>(inputs[0].shape().back());
    return (inputs.size() == 1 ? 2.5 : 5) * elements(inputs[0].shape()) *
           std::log2(std::max(n, 2.0));
  }
};

}  // namespace

Cost kernel_cost(const backend::Kernel& kernel, std::span<const Tensor> inputs,
                 std::span<const TensorSpec> outputs) {
  Cost cost;
  cost.flops = std::visit(Flops{inputs, outputs}, kernel);
  for (const Tensor& t : inputs)
    cost.bytes += elements(t.shape()) * static_cast<double>(size_of(t.dtype()));
  for (const TensorSpec& s : outputs)
    cost.bytes += elements(s.shape) * static_cast<double>(size_of(s.dtype));
  return cost;
}

}  // namespace cornu
