// The graphs of attention: the patterns of operations that cuDNN runs as one kernel.
#include "cudnn_attention.h"

#include <limits>

#include "cudnn_device.h"
#include "library_layouts.h"

namespace cornu::backend::cuda::cudnn {
namespace {

constexpr AttentionTensors names;

class AttentionGraph {
 public:
  AttentionGraph(const Attention& attention, DType dtype, const Shape& q, const Shape& k)
      : attention_(attention), dtype_(dtype) {
    const Layout of_q = attention_layout(q), of_k = attention_layout(k);
    const Layout exchanged = attention_layout(k, true);
    const int64_t batch = q[0], queries = q[1], heads = q[2], keys = k[1];
    scores_ = dense_layout({batch, heads, queries, keys});
    rows_ = dense_layout({batch, heads, queries, 1});
    // In the order of AttentionTensors.
    graph.tensor(of_q, dtype);
    graph.tensor(exchanged, dtype);
    graph.tensor(attention.backward ? exchanged : of_k, dtype);
    graph.tensor(of_q, dtype);
    graph.tensor(rows_, DType::float32);
    graph.tensor(dense_layout({1, 1, 1, 1}), DType::float32, Graph::Kind::number);
    graph.tensor(dense_layout({1, 1, 1, 1}), DType::float32, Graph::Kind::number);
    if (!attention.backward) {
      forward();
      return;
    }
    graph.tensor(of_q, dtype);
    graph.tensor(of_q, dtype);
    graph.tensor(of_k, dtype);
    graph.tensor(of_k, dtype);
    graph.tensor(rows_, DType::float32);
    backward(of_q, of_k);
  }

  Graph graph;

 private:
  int64_t inner(const Layout& layout, DType dtype = DType::float32) {
    return graph.tensor(layout, dtype, Graph::Kind::inner);
  }
  int64_t map(Pointwise op, std::initializer_list<int64_t> inputs, const Layout& layout) {
    const int64_t result = inner(layout);
    graph.pointwise(op, inputs, result);
    return result;
  }
  // Leaves out the keys after each query.
  int64_t causal(int64_t scores) {
    if (!attention_.causal) return scores;
    const int64_t row = inner(scores_, DType::int32), column = inner(scores_, DType::int32);
    graph.pointwise(Pointwise::index, {scores}, row, 2);
    graph.pointwise(Pointwise::index, {scores}, column, 3);
    const int64_t shown = inner(scores_, DType::boolean);
    graph.pointwise(Pointwise::greater_equal, {row, column}, shown);
    return map(Pointwise::select, {scores, names.lowest, shown}, scores_);
  }
  int64_t scaled_scores() {
    const int64_t scores = inner(scores_);
    graph.matmul(names.q, names.k, scores);
    return map(Pointwise::multiply, {scores, names.scale}, scores_);
  }

  void forward() {
    const int64_t scores = causal(scaled_scores());
    const int64_t most = inner(rows_), total = inner(rows_);
    graph.reduce(true, scores, most);
    const int64_t shifted = map(Pointwise::subtract, {scores, most}, scores_);
    const int64_t powers = map(Pointwise::exp, {shifted}, scores_);
    graph.reduce(false, powers, total);
    const int64_t logs = map(Pointwise::log, {total}, rows_);
    graph.pointwise(Pointwise::add, {most, logs}, names.logsumexp);
    // The second product takes operands of the dtype.
    const int64_t weights = inner(scores_, dtype_);
    graph.pointwise(Pointwise::divide, {powers, total}, weights);
    graph.matmul(weights, names.v, names.y);
  }

  void backward(const Layout& of_q, const Layout& of_k) {
    const Layout across{{scores_.sizes[0], scores_.sizes[1], scores_.sizes[3], scores_.sizes[2]},
                        {scores_.strides[0], scores_.strides[1], 1, scores_.strides[2]}};
    // Per row: the sum of dy y.
    const int64_t products = map(Pointwise::multiply, {names.dy, names.y}, of_q);
    graph.reduce(false, products, names.row_sums);
    // The weights again, from the scores and their logarithmic sums.
    int64_t scores = map(Pointwise::subtract, {scaled_scores(), names.logsumexp}, scores_);
    const int64_t weights = map(Pointwise::exp, {causal(scores)}, scores_);
    const int64_t turned = inner(across, dtype_);
    graph.reshape(weights, turned);
    graph.matmul(turned, names.dy, names.dv);
    // Their gradient, and that of the scores.
    const int64_t gradient = inner(scores_);
    graph.matmul(names.dy, names.v, gradient);
    const int64_t centered = map(Pointwise::subtract, {gradient, names.row_sums}, scores_);
    const int64_t weighted = map(Pointwise::multiply, {centered, weights}, scores_);
    const int64_t result = inner(scores_, dtype_);
    graph.pointwise(Pointwise::multiply, {weighted, names.scale}, result);
    const int64_t turned_result = inner(across, dtype_);
    graph.reshape(result, turned_result);
    graph.matmul(turned_result, names.q, names.dk);
    const int64_t keys = inner(of_k, dtype_);
    graph.reshape(names.k, keys);
    graph.matmul(result, keys, names.dq);
  }

  Attention attention_;
  DType dtype_;
  Layout scores_, rows_;
};

class AttentionExecutable : public Executable {
 public:
  AttentionExecutable(const Attention& attention, const Shape& q, PlanRef plan, Context& context)
      : context_(context),
        plan_(std::move(plan)),
        backward_(attention.backward),
        causal_(attention.causal),
        scale_(static_cast<float>(attention.scale)),
        sums_offset_((plan_->workspace() + 255) / 256 * 256),
        sums_bytes_(backward_ ? static_cast<size_t>(q.numel() / q.back()) * sizeof(float) : 0) {}

  void run(void* const* data) override {
    char* scratch = static_cast<char*>(context_.workspace(sums_offset_ + sums_bytes_));
    // q, k, v, y and logsumexp stand first in both directions.
    int64_t tensors[12] = {names.q, names.k, names.v, names.y, names.logsumexp, names.scale};
    void* addresses[12] = {data[0], data[1], data[2], data[3], data[4], &scale_};
    size_t count = 6;
    const auto add = [&](int64_t tensor, void* address) {
      tensors[count] = tensor;
      addresses[count++] = address;
    };
    if (causal_) add(names.lowest, &lowest_);
    if (backward_) {
      add(names.dy, data[5]);
      add(names.dq, data[6]);
      add(names.dk, data[7]);
      add(names.dv, data[8]);
      add(names.row_sums, scratch + sums_offset_);
    }
    plan_->run({tensors, count}, {addresses, count}, scratch);
  }

 private:
  Context& context_;
  PlanRef plan_;
  bool backward_, causal_;
  float scale_;
  float lowest_ = std::numeric_limits<float>::lowest();
  size_t sums_offset_, sums_bytes_;
};

}  // namespace

std::unique_ptr<Plan> plan_attention(const Target& target, const Attention& attention, DType dtype,
                                     const Shape& q, const Shape& k, size_t workspace,
                                     std::string* why) {
  AttentionGraph built(attention, dtype, q, k);
  return built.graph.plan(
      target, {.tensor_cores = true, .deterministic = true, .workspace = workspace}, why);
}

std::unique_ptr<Executable> attention(const Attention& attention, std::span<const Operand> inputs,
                                      std::span<const Operand> outputs, Context& context) {
  const DType dtype = inputs[0].dtype;
  if (attention.mask || (dtype != DType::float16 && dtype != DType::bfloat16)) return nullptr;
  for (const Operand& operand : inputs.first(3))
    if (operand.dtype != dtype || operand.shape->numel() == 0 || operand.shape->rank() != 4)
      return nullptr;
  const Operand& logsumexp = attention.backward ? inputs[4] : outputs[1];
  if (logsumexp.dtype != DType::float32 || *inputs[1].shape != *inputs[2].shape) return nullptr;
  Device& device = context.part<Device>();
  if (device.target() == nullptr) return nullptr;
  const std::string key = std::string("attention ") + (attention.backward ? "backward " : "") +
                          (attention.causal ? "causal " : "") + operands_text(inputs, outputs);
  const PlanRef plan = device.plan(key, [&] {
    return PlanRef(plan_attention(*device.target(), attention, dtype, *inputs[0].shape,
                                  *inputs[1].shape, context.workspace_limit()));
  });
  if (!plan) return nullptr;
  return std::make_unique<AttentionExecutable>(attention, *inputs[0].shape, plan, context);
}

}  // namespace cornu::backend::cuda::cudnn
