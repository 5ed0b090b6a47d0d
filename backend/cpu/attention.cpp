// Attention by blocks of queries and keys, so that scores stay in the cache (Dao et al.,
// "FlashAttention", 2022). Keys, values and, going backwards, queries are packed into panels once.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "../optional_kernels.h"
#include "allocator.h"
#include "convert.h"
#include "kernels.h"
#include "parallel.h"
#include "targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/attention.cpp"
#include <hwy/foreach_target.h>

#include "attention_backward-inl.h"
#include "attention_forward-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::cpu {
namespace HWY_NAMESPACE {
namespace {

template <class T>
void attend(const AttentionProblem<T>& p) {
  // Gradients of keys add up over queries, so that a pair is not split.
  const bool backward = p.dy != nullptr;
  const int64_t blocks = (p.queries + query_block - 1) / query_block;
  const int64_t items = backward ? p.pairs() : p.pairs() * blocks;
  AttentionForward<T> forward(p);
  AttentionBackward<T> back(p);
  const int64_t memory = round_up(backward ? back.memory() : forward.memory(), 16);
  const int64_t work = p.pairs() * p.queries * p.keys * p.depth * (backward ? 1 : 2) / 5;
  // No result depends on the parts; some for each thread, since with a causal mask they differ.
  const int64_t parts = std::min<int64_t>(4 * threads_for(work), items);
  parallel_or_throw(parts, work, [&](int64_t begin, int64_t end) {
    const Scratch scratch(sizeof(T) * static_cast<size_t>(memory));
    T* const own = static_cast<T*>(scratch.data());
    const int64_t from = items * begin / parts, to = items * end / parts;
    if (backward)
      AttentionBackward<T>(p).run(from, to, own);
    else
      AttentionForward<T>(p).run(from, to, own);
  });
}

void attend_float32(const AttentionProblem<float>& p) { attend(p); }
void attend_float64(const AttentionProblem<double>& p) { attend(p); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace cornu::backend::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornu::backend::cpu {
namespace {

HWY_EXPORT(attend_float32);
HWY_EXPORT(attend_float64);

// An operand in the compute type: itself, or a copy; that of an output is stored back at the end.
template <class T>
class InType {
 public:
  static constexpr DType type = sizeof(T) == 8 ? DType::float64 : DType::float32;

  InType(const Operand& operand, bool is_output) : operand_(operand), is_output_(is_output) {
    if (operand.dtype == type) return;
    const int64_t count = operand.shape->numel();
    copy_.emplace(sizeof(T) * static_cast<size_t>(std::max<int64_t>(count, 1)));
    if (!is_output) convert(operand.data, operand.dtype, copy_->data(), type, count);
  }
  InType(const InType&) = delete;
  InType& operator=(const InType&) = delete;
  T* data() const { return static_cast<T*>(copy_ ? copy_->data() : operand_.data); }
  void finish() const {
    if (copy_ && is_output_)
      convert(copy_->data(), type, operand_.data, operand_.dtype, operand_.shape->numel());
  }

 private:
  const Operand& operand_;
  bool is_output_;
  std::optional<Scratch> copy_;
};

std::array<int64_t, 4> broadcast_strides(const Shape& mask) {
  std::array<int64_t, 4> strides{};
  int64_t stride = 1;
  for (int i = mask.rank() - 1; i >= 0; --i) {
    strides[static_cast<size_t>(i + 4 - mask.rank())] = mask[i] == 1 ? 0 : stride;
    stride *= mask[i];
  }
  return strides;
}

template <class T>
void run_as(const Attention& kernel, Operands inputs, Operands outputs,
            void (*attend)(const AttentionProblem<T>&)) {
  const Shape &q = *inputs[0].shape, &k = *inputs[1].shape;
  AttentionProblem<T> p{};
  p.batch = q[0];
  p.queries = q[1];
  p.heads = q[2];
  p.depth = q[3];
  p.keys = k[1];
  p.scale = kernel.scale;
  p.causal = kernel.causal;
  const InType<T> query(inputs[0], false), key(inputs[1], false), value(inputs[2], false);
  p.q = query.data();
  p.k = key.data();
  p.v = value.data();
  std::optional<InType<T>> mask;
  size_t next = 3;
  if (kernel.mask) {
    const Operand& given = inputs[next++];
    p.mask_strides = broadcast_strides(*given.shape);
    if (given.dtype == DType::boolean)
      p.shown = static_cast<const unsigned char*>(given.data);
    else
      p.added = mask.emplace(given, false).data();
  }
  if (!kernel.backward) {
    const InType<T> y(outputs[0], true), logsumexp(outputs[1], true);
    p.y = y.data();
    p.logsumexp = logsumexp.data();
    attend(p);
    y.finish();
    logsumexp.finish();
    return;
  }
  const InType<T> y(inputs[next], false), logsumexp(inputs[next + 1], false);
  const InType<T> dy(inputs[next + 2], false);
  const InType<T> dq(outputs[0], true), dk(outputs[1], true), dv(outputs[2], true);
  p.y = y.data();
  p.logsumexp = logsumexp.data();
  p.dy = dy.data();
  p.dq = dq.data();
  p.dk = dk.data();
  p.dv = dv.data();
  attend(p);
  dq.finish();
  dk.finish();
  dv.finish();
}

void run_attention(const Attention& kernel, Operands inputs, Operands outputs) {
  int64_t written = 0;
  for (const Operand& output : outputs) written += output.shape->numel();
  if (written == 0) return;
  if (inputs[0].dtype == DType::float64)
    run_as<double>(kernel, inputs, outputs, HWY_DYNAMIC_DISPATCH(attend_float64));
  else
    run_as<float>(kernel, inputs, outputs, HWY_DYNAMIC_DISPATCH(attend_float32));
}

}  // namespace
}  // namespace cornu::backend::cpu

void cornu::backend::use_attention_kernel() { cpu::optional_code<Attention> = &cpu::run_attention; }
#endif
