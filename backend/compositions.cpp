// The composer, and attention: scores of all pairs, their softmax, and products.
#include "compositions.h"

#include <algorithm>
#include <cmath>

#include "composer.h"

namespace cornu::backend {
namespace {

std::vector<int64_t> dense_strides(const Shape& shape) {
  std::vector<int64_t> strides(static_cast<size_t>(shape.rank()), 1);
  for (int i = shape.rank() - 1; i-- > 0;)
    strides[static_cast<size_t>(i)] = strides[static_cast<size_t>(i) + 1] * shape[i + 1];
  return strides;
}

Copy::Part whole(const Shape& shape) {
  std::vector<int> axes;
  for (int i = 0; i < shape.rank(); ++i) axes.push_back(i);
  return part_of(shape, shape, axes, shape);
}

// -- Attention ------------------------------------------------------------------------------------

/// (batch, n, heads, d) as (batch, heads, n, d), and back.
Value by_heads(Composer& c, const Operand& operand) {
  const Value x = c.load(operand);
  const Shape to({x.shape[0], x.shape[2], x.shape[1], x.shape[3]});
  const Copy::Part parts[] = {part_of(to, x.shape, {0, 2, 1, 3}, to)};
  return c.arranged(x, parts, to);
}

void give_by_positions(Composer& c, const Value& x, const Operand& output) {
  const Copy::Part parts[] = {part_of(*output.shape, x.shape, {0, 2, 1, 3}, *output.shape)};
  c.give(x, parts, output);
}

/// 0, 1, ... as numbers of the compute type.
Value positions(Composer& c, const Shape& shape) {
  const int64_t n = shape.numel();
  const Value ones = c.make({n}), sums = c.make({n});
  // A copy without parts fills its output.
  c.run(Copy{{}, Shape{n}, 1, false}, {}, {ones});
  c.run(Cumulative{}, {ones}, {sums});
  return sums.as(shape);
}

/// Scaled scores (batch, heads, queries, keys); -inf where a query does not attend.
Value masked_scores(Composer& c, const Attention& kernel, const Value& q, const Value& k,
                    const Operand* mask) {
  const int64_t queries = q.shape[2], keys = k.shape[2];
  const Shape shape({q.shape[0], q.shape[1], queries, keys});
  const Value raw = c.product(q, k, shape, false, true);
  const bool shown = mask != nullptr && mask->dtype == DType::boolean;
  std::vector<Value> inputs = {raw};
  if (mask != nullptr) inputs.push_back(shown ? Value(*mask) : c.load(*mask));
  if (kernel.causal) {
    inputs.push_back(positions(c, {queries, 1}));
    inputs.push_back(positions(c, {keys}));
  }
  const ProgramRef program =
      Program::make(static_cast<int>(inputs.size()), [&](std::vector<Expr> x) {
        Expr score = x[0] * kernel.scale;
        if (mask != nullptr) score = shown ? expr::select(x[1], score, -HUGE_VAL) : score + x[1];
        if (kernel.causal)
          // Position of the query against that of the key.
          score = expr::select(x[x.size() - 2] >= x[x.size() - 1], score, -HUGE_VAL);
        return std::vector<Expr>{score};
      });
  c.run(Fused{program, c.compute}, inputs, {raw});
  return raw;
}

/// exp(score - logsumexp); the same for all keys where a query sees none.
ProgramRef weights_program(int64_t keys) {
  return Program::make(2, [keys](std::vector<Expr> x) {
    return std::vector<Expr>{expr::select(expr::equal(x[1], -HUGE_VAL),
                                          1.0 / static_cast<double>(keys), expr::exp(x[0] - x[1]))};
  });
}

/// sum(program(inputs)) over the last axis of `shape`, which stays with size 1.
Value reduced(Composer& c, ReduceOp op, const ProgramRef& program,
              std::initializer_list<Value> inputs, const Shape& shape) {
  const Shape kept = shape.slice(0, shape.rank() - 1);
  const Value result = c.make(kept);
  c.run(Reduce{program, c.compute, op, {shape.rank() - 1}, shape}, inputs, {result});
  Shape with_one = kept;
  with_one.push_back(1);
  return result.as(with_one);
}

void attention_forward(Composer& c, const Attention& kernel, std::span<const Operand> inputs,
                       std::span<const Operand> outputs) {
  const Value q = by_heads(c, inputs[0]), k = by_heads(c, inputs[1]), v = by_heads(c, inputs[2]);
  const Value scores = masked_scores(c, kernel, q, k, kernel.mask ? &inputs[3] : nullptr);
  const Value most =
      reduced(c, ReduceOp::maximum, program_of(Opcode::identity), {scores}, scores.shape);
  // Relative to the largest, or to 0 where there is none.
  static const ProgramRef exponential = Program::make(2, [](std::vector<Expr> x) {
    const Expr shift = expr::select(expr::equal(x[1], -HUGE_VAL), 0.0, x[1]);
    return std::vector<Expr>{expr::exp(x[0] - shift)};
  });
  // Relative to the largest score, so that no exponential overflows.
  const Value total = reduced(c, ReduceOp::sum, exponential, {scores, most}, scores.shape);
  static const ProgramRef join = Program::make(2, [](std::vector<Expr> x) {
    return std::vector<Expr>{
        expr::select(expr::equal(x[0], -HUGE_VAL), -HUGE_VAL, x[0] + expr::log(x[1]))};
  });
  const Value logsumexp = c.fused(join, {most, total}, most.shape);
  c.run(Fused{weights_program(k.shape[2]), c.compute}, {scores, logsumexp}, {scores});
  give_by_positions(c, c.product(scores, v, q.shape, false, false), outputs[0]);
  c.give(logsumexp.as(*outputs[1].shape), outputs[1]);
}

void attention_backward(Composer& c, const Attention& kernel, std::span<const Operand> inputs,
                        std::span<const Operand> outputs) {
  const size_t next = kernel.mask ? 4 : 3;
  const Value q = by_heads(c, inputs[0]), k = by_heads(c, inputs[1]), v = by_heads(c, inputs[2]);
  const Value y = by_heads(c, inputs[next]), dy = by_heads(c, inputs[next + 2]);
  Shape rows = q.shape;
  rows[3] = 1;
  const Value logsumexp = c.load(inputs[next + 1]).as(rows);
  const Value scores = masked_scores(c, kernel, q, k, kernel.mask ? &inputs[3] : nullptr);
  c.run(Fused{weights_program(k.shape[2]), c.compute}, {scores, logsumexp}, {scores});
  const Value& weights = scores;
  give_by_positions(c, c.product(weights, dy, v.shape, true, false), outputs[2]);
  const Value slopes = c.product(dy, v, weights.shape, false, true);
  // sum(w * dw) over the keys of a query is y . dy, without another pass over the weights.
  const Value products = reduced(c, ReduceOp::sum, program_of(Opcode::multiply), {y, dy}, y.shape);
  const ProgramRef slope = Program::make(4, [&](std::vector<Expr> x) {
    // Scores that no query sees have no slope.
    return std::vector<Expr>{
        expr::select(expr::equal(x[3], -HUGE_VAL), 0.0, x[0] * (x[1] - x[2]) * kernel.scale)};
  });
  c.run(Fused{slope, c.compute}, {weights, slopes, products, logsumexp}, {slopes});
  give_by_positions(c, c.product(slopes, k, q.shape, false, false), outputs[0]);
  give_by_positions(c, c.product(slopes, q, k.shape, true, false), outputs[1]);
}

}  // namespace

Copy::Part part_of(const Shape& sizes, const Shape& from, const std::vector<int>& axes,
                   const Shape& to, const std::vector<int64_t>& from_at,
                   const std::vector<int64_t>& to_at, int flipped) {
  const std::vector<int64_t> source = dense_strides(from), target = dense_strides(to);
  Copy::Part part;
  part.sizes = sizes;
  for (size_t i = 0; i < axes.size(); ++i) {
    int64_t stride = source[static_cast<size_t>(axes[i])];
    if (!from_at.empty()) part.from.offset += from_at[static_cast<size_t>(axes[i])] * stride;
    if (static_cast<int>(i) == flipped) {
      part.from.offset += (sizes[flipped] - 1) * stride;
      stride = -stride;
    }
    if (!to_at.empty()) part.to.offset += to_at[i] * target[i];
    part.from.strides.push_back(stride);
    part.to.strides.push_back(target[i]);
  }
  return part;
}

KeptConstants::~KeptConstants() {
  for (const Copied& copy : copies_) backend_.allocator().deallocate(copy.data, copy.bytes);
}

void* KeptConstants::get(const void* host, size_t bytes) {
  for (const Copied& copy : copies_)
    if (copy.host == host) return copy.data;
  // Listed first, so that the vector's growth cannot fail with memory in hand.
  copies_.push_back({host, nullptr, bytes});
  try {
    copies_.back().data = backend_.allocator().allocate(bytes);
    backend_.copy_from_host(copies_.back().data, host, bytes);
  } catch (...) {
    if (copies_.back().data != nullptr) backend_.allocator().deallocate(copies_.back().data, bytes);
    copies_.pop_back();
    throw;
  }
  return copies_.back().data;
}

Composer::~Composer() {
  for (const auto& [data, bytes] : memory_) backend_.allocator().deallocate(data, bytes);
}

Value Composer::make(const Shape& shape) { return make(shape, compute); }

Value Composer::make(const Shape& shape, DType dtype) {
  const size_t bytes = std::max<size_t>(static_cast<size_t>(shape.numel()) * size_of(dtype), 1);
  // As above: whatever is allocated is owned already.
  memory_.push_back({nullptr, bytes});
  try {
    memory_.back().first = backend_.allocator().allocate(bytes);
  } catch (...) {
    memory_.pop_back();
    throw;
  }
  return {shape, dtype, memory_.back().first};
}

void Composer::run(const Kernel& kernel, std::initializer_list<Value> inputs,
                   std::initializer_list<Value> outputs) {
  run(kernel, std::vector<Value>(inputs), std::vector<Value>(outputs));
}

void Composer::run(const Kernel& kernel, const std::vector<Value>& inputs,
                   const std::vector<Value>& outputs) {
  InlineVector<Operand, 16> in, out;
  for (const Value& value : inputs) in.push_back({&value.shape, value.dtype, value.data});
  for (const Value& value : outputs) out.push_back({&value.shape, value.dtype, value.data});
  backend_.run(kernel, {in.data(), in.size()}, {out.data(), out.size()});
}

Value Composer::constant(const Constant& constant) {
  if (backend_.on_host()) return {constant.shape, constant.dtype, constant.data.get()};
  const auto bytes = static_cast<size_t>(constant.shape.numel()) * size_of(constant.dtype);
  if (kept_ != nullptr)
    return {constant.shape, constant.dtype, kept_->get(constant.data.get(), bytes)};
  const Value copy = make(constant.shape, constant.dtype);
  backend_.copy_from_host(copy.data, constant.data.get(), bytes);
  return copy;
}

Value Composer::load(const Operand& operand) {
  const Value given(operand);
  if (given.dtype == compute) return given;
  const Value converted = make(given.shape);
  run(Fused{program_of(Opcode::identity), compute}, {given}, {converted});
  return converted;
}

void Composer::give(const Value& from, std::span<const Copy::Part> parts, const Operand& output) {
  const Value target(output);
  const bool converts = target.dtype != compute;
  const Value copy = converts ? make(target.shape) : target;
  const Copy kernel{{parts.begin(), parts.end()}, target.shape, 0, true};
  run(kernel, std::vector<Value>(parts.size(), from), {copy});
  if (converts) run(Fused{program_of(Opcode::identity), compute}, {copy}, {target});
}

void Composer::give(const Value& from, const Operand& output) {
  const Copy::Part parts[] = {whole(from.shape)};
  give(from, parts, output);
}

Value Composer::arranged(const Value& from, std::span<const Copy::Part> parts, const Shape& shape) {
  int64_t written = 0;
  for (const Copy::Part& part : parts) written += part.sizes.numel();
  const Value to = make(shape, from.dtype);
  run(Copy{{parts.begin(), parts.end()}, shape, 0, written == shape.numel()},
      std::vector<Value>(parts.size(), from), {to});
  return to;
}

void Composer::zero(const Value& value) { run(Copy{{}, value.shape, 0, false}, {}, {value}); }

Value Composer::fused(const ProgramRef& program, std::initializer_list<Value> inputs,
                      const Shape& shape) {
  const Value result = make(shape);
  run(Fused{program, compute}, inputs, {result});
  return result;
}

Value Composer::product(const Value& a, const Value& b, const Shape& shape, bool transpose_a,
                        bool transpose_b) {
  const Value result = make(shape);
  run(Matmul{transpose_a, transpose_b, false}, {a, b}, {result});
  return result;
}

void compose(const Attention& kernel, std::span<const Operand> inputs,
             std::span<const Operand> outputs, Composer& composer) {
  int64_t written = 0;
  for (const Operand& output : outputs) written += output.shape->numel();
  if (written == 0) return;
  kernel.backward ? attention_backward(composer, kernel, inputs, outputs)
                  : attention_forward(composer, kernel, inputs, outputs);
}

bool composed(const Kernel& kernel, std::span<const Operand> inputs,
              std::span<const Operand> outputs, Backend& backend, KeptConstants* kept) {
  const auto compose_as = [&](const auto& k) {
    const DType compute = inputs[0].dtype == DType::float64 ? DType::float64 : DType::float32;
    Composer composer(backend, compute, kept);
    compose(k, inputs, outputs, composer);
    return true;
  };
  if (const Rnn* rnn = std::get_if<Rnn>(&kernel)) return compose_as(*rnn);
  if (const Attention* attention = std::get_if<Attention>(&kernel)) return compose_as(*attention);
  if (const Fft* fft = std::get_if<Fft>(&kernel)) return compose_as(*fft);
  if (const MultiTensorFused* fused = std::get_if<MultiTensorFused>(&kernel)) {
    const auto sets = static_cast<size_t>(fused->sets);
    const size_t in = inputs.size() / sets, out = outputs.size() / sets;
    for (size_t set = 0; set < sets; ++set)
      backend.run(fused->each, inputs.subspan(set * in, in), outputs.subspan(set * out, out));
    return true;
  }
  return false;
}

}  // namespace cornu::backend
