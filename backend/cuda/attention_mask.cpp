// The kernels around a library's attention with a mask.
#include "attention_mask.h"

#include <algorithm>
#include <cmath>

namespace cornu::backend::cuda::cudnn {
namespace {

using Exprs = std::vector<Expr>;

Expr hidden(const Expr& largest) { return expr::equal(largest, -HUGE_VAL); }

// What a mask adds to a score. Operands: the mask, then the positions of query and key if `causal`.
Expr added(const Exprs& x, bool boolean, bool causal) {
  const Expr value = boolean ? expr::select(x[0], 0.0, -HUGE_VAL) : x[0];
  return causal ? expr::select(x[1] >= x[2], value, -HUGE_VAL) : value;
}

// `if_hidden` in rows without a key, else what was there.
ProgramRef choice(double if_hidden) {
  return Program::make(2,
                       [&](Exprs x) { return Exprs{expr::select(hidden(x[0]), if_hidden, x[1])}; });
}

}  // namespace

void MaskPlan::add(Phase phase, Kernel kernel, std::vector<Use> inputs, Use output) {
  // Of what belongs to no operand.
  if (output.place != logsumexp && output.place != dq)
    bytes_[output.place] = static_cast<size_t>(output.shape.numel()) * size_of(output.dtype);
  steps[phase].push_back({std::move(kernel), std::move(inputs), std::move(output)});
}

MaskPlan::MaskPlan(const Attention& attention, DType dtype, const Shape& q_shape, int64_t keys,
                   const Shape& mask_shape, DType mask_dtype) {
  const DType real = DType::float32;
  const bool boolean = mask_dtype == DType::boolean, causal = attention.causal;
  Shape masks = mask_shape;
  while (masks.rank() < 4) masks.insert(0, 1);
  const int64_t queries = q_shape[1], rows = causal ? queries : masks[2];
  const Use given{mask, masks, mask_dtype};

  // The largest number of each row; -infinity: it may attend nowhere.
  std::vector<Use> operands = {given};
  if (causal) {
    const Shape count{std::max(queries, keys)};
    add(first, Copy{{}, count, 1, false}, {}, {ones, count, real});
    add(first, Cumulative{}, {{ones, count, real}}, {positions, count, real});
    operands.push_back({positions, {queries, 1}, real});
    operands.push_back({positions, {keys}, real});
  }
  const ProgramRef values = Program::make(
      static_cast<int>(operands.size()), [&](Exprs x) { return Exprs{added(x, boolean, causal)}; });
  const Shape by_row{masks[0], masks[1], rows};
  Shape seen = by_row, with_one = by_row;
  seen.push_back(causal ? keys : masks[3]);
  with_one.push_back(1);
  add(first, Reduce{values, real, ReduceOp::maximum, {3}, seen}, operands, {largest, by_row, real});

  // What the library adds: rounded to the dtype of q, which is exact for bools, or float32.
  bias_dtype_ = boolean ? dtype : real;
  const double lowest = bias_dtype_ == DType::float16 ? -6e4 : -1e30;
  operands.push_back({largest, with_one, real});
  const ProgramRef bounded = Program::make(static_cast<int>(operands.size()), [&](Exprs x) {
    return Exprs{expr::select(hidden(x.back()), 0.0,
                              expr::maximum(added(x, boolean, causal), Expr(lowest)))};
  });
  Shape whole = by_row;
  whole.push_back(keys);
  add(before, Fused{bounded, real}, operands, {bias, whole, bias_dtype_});
  bias_layout_ = dense_layout({masks[0], masks[1], rows, keys});
  if (rows != queries) {
    bias_layout_.sizes[2] = queries;
    bias_layout_.strides[2] = 0;
  }

  // q (batch, tq, heads, d) without the rows that may attend nowhere.
  Use turned_rows{largest, {masks[0], rows, masks[1], 1}, real};
  if (rows > 1 && masks[1] > 1) {
    const Use from{largest, by_row, real};
    turned_rows.place = turned;
    const int64_t heads = masks[1];
    Copy turn;
    turn.parts.push_back({Shape{masks[0], rows, heads}, View{0, {heads * rows, 1, rows}},
                          View{0, {heads * rows, heads, 1}}});
    turn.shape = {masks[0], rows, heads};
    add(before, turn, {from}, {turned, turn.shape, real});
  }
  add(before, Fused{choice(0), real}, {turned_rows, {q, q_shape, dtype}},
      {shown_q, q_shape, dtype});

  const Shape sums_shape{q_shape[0], q_shape[2], queries};
  const std::vector<Use> row_sums = {{largest, by_row, real}, {logsumexp, sums_shape, real}};
  if (attention.backward) {
    add(before, Fused{choice(std::log(static_cast<double>(keys))), real}, row_sums,
        {sums, sums_shape, real});
    add(after, Fused{choice(0), real}, {turned_rows, {dq, q_shape, dtype}}, {dq, q_shape, dtype});
  } else {
    add(after, Fused{choice(-HUGE_VAL), real}, row_sums, {logsumexp, sums_shape, real});
  }
}

}  // namespace cornu::backend::cuda::cudnn
