// Normalization of channels or rows, forwards and backwards: one pass over memory for the sums, one
// to write; and the operands of both.
#include "normalize.h"

#include "normalize_operands.h"

namespace cornu::backend::cpu {
namespace {

/// Frames of this thread for the two programs, which may be under way together.
Frame& frame_of(bool before) {
  static thread_local Frame frames[2];
  return frames[before];
}

}  // namespace

Frame& sums_frame() {
  static thread_local Frame frame;
  return frame;
}

NormalizePrograms::NormalizePrograms(const Normalize& kernel, Operands inputs, Operands outputs) {
  const DType compute = inputs[0].dtype == DType::float64 ? DType::float64 : DType::float32;
  const Shape& shape = *inputs[0].shape;
  Operands rest = inputs.subspan(static_cast<size_t>(kernel.own_inputs()));
  const auto take = [&](const Program& program, const Operand& first) {
    const size_t more = static_cast<size_t>(program.inputs()) - 1;
    InlineVector<Operand, 6> operands = {first};
    for (const Operand& operand : rest.first(more)) operands.push_back(operand);
    rest = rest.subspan(more);
    return operands;
  };
  if (kernel.before)
    before_.emplace(*kernel.before, compute, shape,
                    take(*kernel.before, inputs[kernel.backward ? 3 : 0]));
  if (kernel.after)
    after_.emplace(*kernel.after, compute, shape, take(*kernel.after, outputs[0]),
                   outputs.first(1));
}

void NormalizePrograms::start() const {
  if (before_) before_->start(frame_of(true), tile_size);
  if (after_) after_->start(frame_of(false), tile_size);
}

const void* NormalizePrograms::before(int64_t offset, int64_t n) const {
  return before_->evaluate(frame_of(true), offset, n);
}

void NormalizePrograms::after(int64_t offset, int64_t n) const {
  Frame& frame = frame_of(false);
  after_->evaluate(frame, offset, n);
  after_->store(frame, offset, n);
}

int64_t NormalizePrograms::work() const {
  return (before_ ? 2 * before_->work() : 0) + (after_ ? after_->work() : 0);
}

void write_vector(const double* values, int64_t n, const Operand& out) {
  if (out.dtype == DType::float64)
    std::copy_n(values, n, static_cast<double*>(out.data));
  else
    convert_tile(DType::float64, out.dtype)(values, out.data, n);
}

/// The vector in double; a null operand is `otherwise` everywhere.
void read_vector(const Operand* operand, double otherwise, int64_t n, double* values) {
  if (!operand)
    std::fill_n(values, n, otherwise);
  else if (operand->dtype == DType::float64)
    std::copy_n(static_cast<const double*>(operand->data), n, values);
  else
    convert_tile(operand->dtype, DType::float64)(operand->data, values, n);
}

template <class T>
void run_as(const Normalize& kernel, Operands inputs, Operands outputs) {
  const NormalizePrograms programs(kernel, inputs, outputs);
  if (kernel.channels)
    kernel.backward ? channels_backward<T>(kernel, inputs, outputs, programs)
                    : channels_forward<T>(kernel, inputs, outputs, programs);
  else
    kernel.backward ? rows_backward<T>(kernel, inputs, outputs, programs)
                    : rows_forward<T>(kernel, inputs, outputs, programs);
}

void run(const Normalize& kernel, Operands inputs, Operands outputs) {
  if (inputs[0].dtype == DType::float64)
    run_as<double>(kernel, inputs, outputs);
  else
    run_as<float>(kernel, inputs, outputs);
}

}  // namespace cornu::backend::cpu
