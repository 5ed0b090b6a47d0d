// Recurrent layers over whole sequences: operands to arrays of the type of the computation.
#include "rnn.h"

#include <cstring>
#include <list>

#include "../optional_kernels.h"
#include "allocator.h"
#include "convert.h"
#include "kernels.h"

namespace cornu::backend::cpu {
namespace {

/// Takes operands one after another as arrays of T, through copies where the types differ.
template <class T>
class OperandWalk {
 public:
  OperandWalk(Operands inputs, Operands outputs) : inputs_(inputs), outputs_(outputs) {}

  /// The next input; null when it is empty.
  const T* input() {
    const Operand& operand = inputs_[next_input_++];
    const int64_t count = operand.shape->numel();
    if (count == 0) return nullptr;
    if (operand.dtype == type) return static_cast<const T*>(operand.data);
    copies_.emplace_back(static_cast<size_t>(count) * sizeof(T));
    convert(operand.data, operand.dtype, copies_.back().data(), type, count);
    return static_cast<const T*>(copies_.back().data());
  }
  T* output() {
    const Operand& operand = outputs_[next_output_++];
    if (operand.dtype == type) return static_cast<T*>(operand.data);
    copies_.emplace_back(
        std::max<size_t>(static_cast<size_t>(operand.shape->numel()) * sizeof(T), 1));
    made_.push_back({&operand, copies_.back().data()});
    return static_cast<T*>(copies_.back().data());
  }
  /// Converts the outputs that are not of type T.
  void finish() {
    for (const Made& m : made_)
      convert(m.copy, type, m.operand->data, m.operand->dtype, m.operand->shape->numel());
  }

 private:
  static constexpr DType type = sizeof(T) == 8 ? DType::float64 : DType::float32;
  struct Made {
    const Operand* operand;
    void* copy;
  };

  Operands inputs_, outputs_;
  size_t next_input_ = 0, next_output_ = 0;
  std::list<Scratch> copies_;
  std::vector<Made> made_;
};

template <class T>
void run_as(const Rnn& kernel, Operands inputs, Operands outputs) {
  const bool lstm = kernel.cell == RnnCell::lstm, simple = kernel.cell == RnnCell::simple;
  const Shape &x = *inputs[0].shape, &weights = *inputs[1].shape;
  RnnArrays<T> a{};
  a.cell = kernel.cell;
  a.reverse = kernel.reverse;
  a.batch = x[0];
  a.time = x[1];
  a.features = x[2];
  a.units = weights[1] / a.gate_count();
  OperandWalk<T> walk(inputs, outputs);
  a.x = walk.input();
  a.kernel = walk.input();
  a.recurrent = walk.input();
  if (kernel.bias) a.bias = walk.input();
  a.h0 = walk.input();
  if (lstm) a.c0 = walk.input();
  if (!kernel.backward) {
    a.y = walk.output();
    a.h = walk.output();
    if (lstm) a.c = walk.output();
    if (!simple) a.gates = walk.output();
    if (!simple) a.extra = walk.output();
    rnn_forward(a);
  } else {
    a.y = const_cast<T*>(walk.input());  // only read
    if (!simple) a.gates = const_cast<T*>(walk.input());
    if (!simple) a.extra = const_cast<T*>(walk.input());
    a.dy = walk.input();
    a.dh = walk.input();
    if (lstm) a.dc = walk.input();
    a.dx = walk.output();
    a.dkernel = walk.output();
    a.drecurrent = walk.output();
    if (kernel.bias) a.dbias = walk.output();
    a.dh0 = walk.output();
    if (lstm) a.dc0 = walk.output();
    rnn_backward(a);
  }
  walk.finish();
}

void run_rnn(const Rnn& kernel, Operands inputs, Operands outputs) {
  const Shape& x = *inputs[0].shape;
  if (x[0] == 0 || x[1] == 0) {  // nothing to walk through; the gradients of the weights are zeros
    for (const Operand& out : outputs)
      if (const size_t bytes = out.bytes()) std::memset(out.data, 0, bytes);
    return;
  }
  if (inputs[0].dtype == DType::float64)
    run_as<double>(kernel, inputs, outputs);
  else
    run_as<float>(kernel, inputs, outputs);
}

}  // namespace
}  // namespace cornu::backend::cpu

void cornu::backend::use_rnn_kernel() { cpu::optional_code<Rnn> = &cpu::run_rnn; }
