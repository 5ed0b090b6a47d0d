// The Rnn kernel as an operation: shapes and dtypes of its operands.
#include "rnn.h"

#include <fmt/core.h>

#include "../../../backend/optional_kernels.h"
#include "../../../backend/rnn_reserve.h"
#include "../../dispatch/apply.h"
#include "../../tensor/promotion.h"
#include "../../tensor/recorder.h"
#include "../core/cast.h"
#include "../operators.h"

namespace cornu::ops {
namespace {

void check_operand(const char* name, const Tensor& operand, const Shape& expected) {
  if (operand.shape() == expected) return;
  throw ShapeError(fmt::format("rnn: expected {} of shape {}, found {}.", name, expected.str(),
                               operand.shape().str()));
}

// Bytes that a device keeps in a form of its own, or 0.
size_t reserve_of(const backend::Rnn& kernel, DType dtype, const Tensor& x, const Shape& weights) {
  const detail::Storage* const storage = x.impl()->storage;
  if (!storage || x.shape().numel() == 0) return 0;
  auto* const device = dynamic_cast<backend::RnnReserve*>(storage->backend);
  return device ? device->rnn_reserve(kernel, dtype, x.shape(), weights) : 0;
}

}  // namespace

RnnResult rnn(backend::RnnCell cell, const Tensor& x, const RnnOperands& operands, bool reverse) {
  using backend::RnnCell;
  const Shape &from = x.shape(), &weights = operands.recurrent.shape();
  if (from.rank() != 3 || weights.rank() != 2)
    throw ShapeError(fmt::format(
        "rnn: expected x (batch, time, features) and recurrent weights (units, gates * units), "
        "found {} and {}.",
        from.str(), weights.str()));
  const bool lstm = cell == RnnCell::lstm, gru = cell == RnnCell::gru;
  const int64_t units = weights[0], columns = (lstm ? 4 : gru ? 3 : 1) * units;
  const Shape state{from[0], units};
  check_operand("the kernel", operands.kernel, {from[2], columns});
  check_operand("recurrent weights", operands.recurrent, {units, columns});
  if (operands.bias)
    check_operand("the bias", operands.bias, gru ? Shape{2, columns} : Shape{columns});
  check_operand("the state h", operands.h, state);
  if (lstm) check_operand("the state c", operands.c, state);

  const DType dtype = result_type(x.dtype(), operands.kernel.dtype());
  Tensors inputs{cast(x, dtype), cast(operands.kernel, dtype), cast(operands.recurrent, dtype)};
  if (operands.bias) inputs.push_back(cast(operands.bias, dtype));
  inputs.push_back(cast(operands.h, dtype));
  if (lstm) inputs.push_back(cast(operands.c, dtype));

  std::vector<TensorSpec> outputs{{{from[0], from[1], units}, dtype}, {state, dtype}};
  if (lstm) outputs.push_back({state, dtype});
  const backend::Rnn kernel{
      .cell = cell, .backward = false, .bias = bool(operands.bias), .reverse = reverse};
  if (lstm || gru) {
    const DType wide = dtype == DType::float64 ? dtype : DType::float32;
    Shape gates{from[1], from[0], columns}, extra{from[1], from[0], units};
    if (const size_t bytes = reserve_of(kernel, dtype, inputs[0], operands.kernel.shape())) {
      // Without a recorder nobody asks for a derivative.
      const size_t count = (bytes + size_of(wide) - 1) / size_of(wide);
      gates = {graph_context().recorders.empty() ? 0 : static_cast<int64_t>(count)};
      extra = {0};
    }
    outputs.push_back({gates, wide});
    outputs.push_back({extra, wide});
  }
  backend::use_rnn_kernel();
  const Tensors made = apply(kernel, inputs, outputs);
  return {made[0], made[1], lstm ? made[2] : Tensor()};
}

}  // namespace cornu::ops
