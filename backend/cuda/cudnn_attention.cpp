// The graphs of attention: the patterns of operations that cuDNN runs as one kernel.
#include "cudnn_attention.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "cudnn_device.h"
#include "cudnn_library-inl.h"
#include "fallback.h"
#include "library_layouts.h"
#include "settings.h"

namespace cornu::backend::cuda::cudnn {
namespace {

constexpr AttentionTensors names;

// From this version on cuDNN sets the sums of dq to 0 by itself.
constexpr size_t clears_sums = 90600;

// Whether this cuDNN is known to compute it rightly. 9.10.0 and 9.10.1 do not. Backwards, those
// before 9.15.1 are wrong when the keys do not fill tiles of 128; all give NaN for rows of very
// negative scores when half of the last tile is empty, or when there is but one query.
bool is_right(const Attention& attention, const Shape& q, const Shape& k) {
  const size_t version = functions().version();
  if (version == 91000 || version == 91001) return false;
  const int64_t rest = k[1] % 128;
  return !attention.backward || (q[1] > 1 && rest != 64 && (rest == 0 || version >= 91501));
}

// Whether heads that share keys and values are asked of cuDNN. By its notes for 9.18 a single query
// that is causal is wrong then.
bool takes_groups(const Attention& attention, const Shape& q) {
  return grouped_heads() && !(attention.causal && q[1] == 1);
}

class AttentionGraph {
 public:
  AttentionGraph(const Attention& attention, DType dtype, const Shape& q, const Shape& k,
                 const MaskPlan* mask, bool sums_dq)
      : attention_(attention),
        dtype_(dtype),
        masked_(mask != nullptr),
        sums_dq_(sums_dq),
        grouped_(q[2] != k[2]) {
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
    const Layout one = dense_layout({1, 1, 1, 1});
    graph.tensor(one, DType::float32, Graph::Kind::number);
    graph.tensor(one, DType::float32, Graph::Kind::number);
    graph.tensor(masked_ ? mask->bias_layout() : one, masked_ ? mask->bias_dtype() : dtype);
    if (!attention.backward) {
      forward();
      return;
    }
    graph.tensor(of_q, dtype);
    graph.tensor(of_q, dtype);
    graph.tensor(of_k, dtype);
    graph.tensor(of_k, dtype);
    graph.tensor(rows_, DType::float32);
    graph.tensor(one, DType::float32, Graph::Kind::number);
    // Numbers are given in order, so one that is not used stands for dq_sums too.
    if (sums_dq_ || grouped_)
      graph.tensor(dense_layout({batch, heads, queries, q[3]}), DType::float32);
    if (grouped_)
      for (int i = 0; i < 2; ++i) graph.tensor(dense_layout({batch, heads, keys, k[3]}), dtype);
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
  // Leaves out the keys after each query, unless a mask does.
  int64_t causal(int64_t scores) {
    if (!attention_.causal || masked_) return scores;
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
    const int64_t scaled = map(Pointwise::multiply, {scores, names.scale}, scores_);
    return masked_ ? map(Pointwise::add, {scaled, names.bias}, scores_) : scaled;
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
    // Times the fraction that a dropout keeps: without this factor of 1 the engines leave the sums
    // out of the gradient.
    const int64_t sums = inner(rows_);
    graph.reduce(false, products, sums);
    graph.pointwise(Pointwise::multiply, {sums, names.one}, names.row_sums);
    // The weights again, from the scores and their logarithmic sums.
    int64_t scores = map(Pointwise::subtract, {scaled_scores(), names.logsumexp}, scores_);
    const int64_t weights = map(Pointwise::exp, {causal(scores)}, scores_);
    const int64_t turned = inner(across, dtype_);
    graph.reshape(weights, turned);
    product_for_keys(turned, names.dy, names.dv_heads, names.dv);
    // Their gradient, and that of the scores.
    const int64_t gradient = inner(scores_);
    graph.matmul(names.dy, names.v, gradient);
    const int64_t centered = map(Pointwise::subtract, {gradient, names.row_sums}, scores_);
    const int64_t weighted = map(Pointwise::multiply, {centered, weights}, scores_);
    const int64_t result = map(Pointwise::multiply, {weighted, names.scale}, scores_);
    const int64_t turned_result = inner(across, dtype_);
    graph.reshape(result, turned_result);
    product_for_keys(turned_result, names.q, names.dk_heads, names.dk);
    const int64_t keys = inner(of_k, dtype_);
    graph.reshape(names.k, keys);
    graph.matmul(result, keys, sums_dq_ ? names.dq_sums : names.dq);
    if (sums_dq_) graph.pointwise(Pointwise::identity, {names.dq_sums}, names.dq);
  }

  // A product for each head of the queries, and its sums over the heads that share keys.
  void product_for_keys(int64_t a, int64_t b, int64_t by_head, int64_t result) {
    graph.matmul(a, b, grouped_ ? by_head : result);
    if (grouped_) graph.reduce(false, by_head, result);
  }

  Attention attention_;
  DType dtype_;
  bool masked_, sums_dq_, grouped_;
  Layout scores_, rows_;
};

// The steps of a MaskPlan made ready, and their memory.
class MaskSteps {
 public:
  MaskSteps(const MaskPlan& plan, Context& context) : context_(context) {
    for (int phase = 0; phase <= MaskPlan::after; ++phase)
      for (const MaskPlan::Step& step : plan.steps[phase]) {
        Ready ready;
        std::vector<Operand> inputs;
        for (const MaskPlan::Use& use : step.inputs) {
          inputs.push_back({&use.shape, use.dtype, nullptr});
          ready.places.push_back(use.place);
        }
        const Operand output{&step.output.shape, step.output.dtype, nullptr};
        ready.places.push_back(step.output.place);
        ready.kernel = context.prepare(step.kernel, inputs, {&output, 1});
        steps_[phase].push_back(std::move(ready));
      }
    for (int place = 0; place < MaskPlan::places; ++place) {
      const size_t bytes = (plan.bytes(static_cast<MaskPlan::Place>(place)) + 255) / 256 * 256;
      if (bytes == 0) continue;
      size_t& end = place <= MaskPlan::largest ? kept_bytes_ : scratch_;
      offsets_[place] = end;
      in_scratch_[place] = place > MaskPlan::largest;
      end += bytes;
    }
    kept_ = static_cast<char*>(context.allocator().allocate(kept_bytes_));
    for (int place = 0; place <= MaskPlan::largest; ++place) at_[place] = kept_ + offsets_[place];
  }
  MaskSteps(const MaskSteps&) = delete;
  ~MaskSteps() { context_.allocator().deallocate(kept_, kept_bytes_); }

  size_t scratch() const { return scratch_; }

  // Where an operand is, and scratch memory.
  void set(MaskPlan::Place place, void* data) { at_[place] = data; }
  void set_scratch(char* scratch) {
    for (int place = 0; place < MaskPlan::places; ++place)
      if (in_scratch_[place]) at_[place] = scratch + offsets_[place];
  }
  void* at(MaskPlan::Place place) const { return at_[place]; }

  void run(MaskPlan::Phase phase) {
    for (const Ready& step : steps_[phase]) {
      InlineVector<void*, 8> data;
      for (const MaskPlan::Place place : step.places) data.push_back(at_[place]);
      step.kernel->run(data.data());
    }
  }

 private:
  struct Ready {
    std::unique_ptr<Executable> kernel;
    std::vector<MaskPlan::Place> places;
  };

  Context& context_;
  std::vector<Ready> steps_[MaskPlan::after + 1];
  size_t offsets_[MaskPlan::places] = {};
  bool in_scratch_[MaskPlan::places] = {};
  void* at_[MaskPlan::places] = {};
  size_t kept_bytes_ = 0, scratch_ = 0;
  char* kept_ = nullptr;
};

class AttentionExecutable : public Executable {
 public:
  AttentionExecutable(const Attention& attention, const Shape& q, const Shape& k, DType dtype,
                      const AttentionPlan& plan, const MaskPlan* mask, Context& context)
      : context_(context),
        plan_(plan.plan),
        backward_(attention.backward),
        causal_(attention.causal && mask == nullptr),
        scale_(static_cast<float>(attention.scale)),
        sums_offset_((plan_->workspace() + 255) / 256 * 256),
        sums_bytes_(backward_ ? static_cast<size_t>(q.numel() / q.back()) * sizeof(float) : 0),
        dq_offset_(sums_offset_ + (sums_bytes_ + 255) / 256 * 256),
        dq_bytes_(plan.sums_dq ? static_cast<size_t>(q.numel()) * sizeof(float) : 0),
        heads_offset_(dq_offset_ + (dq_bytes_ + 255) / 256 * 256),
        heads_bytes_(backward_ && q[2] != k[2]
                         ? (static_cast<size_t>(k.numel() / k[2] * q[2]) * size_of(dtype) + 255) /
                               256 * 256
                         : 0),
        mask_offset_(heads_offset_ + 2 * heads_bytes_) {
    if (dq_bytes_ > 0 && functions().version() < clears_sums) {
      const Shape all({q.numel()});
      const Operand sums{&all, DType::float32, nullptr};
      clear_ = context.prepare(Copy{{}, all, 0, false}, {}, {&sums, 1});
    }
    if (mask != nullptr) mask_ = std::make_unique<MaskSteps>(*mask, context);
  }

  void run(void* const* given) override {
    // Without the mask, which is the fourth.
    void* data[9] = {};
    const size_t operands = backward_ ? 9 : 5;
    for (size_t i = 0; i < operands; ++i) data[i] = given[i + (mask_ && i > 2 ? 1 : 0)];
    if (mask_) {
      mask_->set(MaskPlan::mask, given[3]);
      mask_->set(MaskPlan::q, data[0]);
      mask_->set(MaskPlan::logsumexp, data[4]);
      mask_->set(MaskPlan::dq, data[6]);
      mask_->run(MaskPlan::first);
    }
    char* scratch =
        static_cast<char*>(context_.workspace(mask_offset_ + (mask_ ? mask_->scratch() : 0)));
    // q, k, v, y and logsumexp stand first in both directions.
    int64_t tensors[18] = {names.q, names.k, names.v, names.y, names.logsumexp, names.scale};
    void* addresses[18] = {data[0], data[1], data[2], data[3], data[4], &scale_};
    size_t count = 6;
    const auto add = [&](int64_t tensor, void* address) {
      tensors[count] = tensor;
      addresses[count++] = address;
    };
    if (causal_) add(names.lowest, &lowest_);
    if (mask_) {
      mask_->set_scratch(scratch + mask_offset_);
      mask_->run(MaskPlan::before);
      addresses[0] = mask_->at(MaskPlan::shown_q);
      if (backward_) addresses[4] = mask_->at(MaskPlan::sums);
      add(names.bias, mask_->at(MaskPlan::bias));
    }
    if (backward_) {
      add(names.dy, data[5]);
      add(names.dq, data[6]);
      add(names.dk, data[7]);
      add(names.dv, data[8]);
      add(names.row_sums, scratch + sums_offset_);
      add(names.one, &one_);
      void* const dq_sums = scratch + dq_offset_;
      if (dq_bytes_ > 0) add(names.dq_sums, dq_sums);
      if (clear_) clear_->run(&dq_sums);
      if (heads_bytes_ > 0) {
        add(names.dk_heads, scratch + heads_offset_);
        add(names.dv_heads, scratch + heads_offset_ + heads_bytes_);
      }
    }
    plan_->run({tensors, count}, {addresses, count}, scratch);
    if (mask_) mask_->run(MaskPlan::after);
  }

 private:
  Context& context_;
  std::shared_ptr<const Plan> plan_;
  bool backward_, causal_;
  float scale_;
  float one_ = 1;
  float lowest_ = std::numeric_limits<float>::lowest();
  size_t sums_offset_, sums_bytes_, dq_offset_, dq_bytes_, heads_offset_, heads_bytes_,
      mask_offset_;
  std::unique_ptr<Executable> clear_;  // takes no scratch memory
  std::unique_ptr<MaskSteps> mask_;
};

}  // namespace

AttentionPlan plan_attention(const Target& target, const Attention& attention, DType dtype,
                             const Shape& q, const Shape& k, const MaskPlan* mask, size_t workspace,
                             bool same_bits, std::string* why) {
  const auto plan = [&](bool sums_dq, size_t most, std::string* reason) {
    AttentionGraph built(attention, dtype, q, k, mask, sums_dq);
    const Wishes wishes{.tensor_cores = true, .deterministic = !sums_dq, .workspace = most};
    return AttentionPlan{built.graph.plan(target, wishes, reason), sums_dq};
  };
  if (!attention.backward) return plan(false, workspace, why);
  const auto tiles = [](int64_t length) { return static_cast<size_t>((length + 63) / 64 * 64); };
  const size_t quadratic =
      static_cast<size_t>(q[0] * q[2]) * tiles(q[1]) * tiles(k[1]) * size_of(dtype);
  if (quadratic <= workspace)
    if (AttentionPlan found = plan(false, workspace, why); found.plan) return found;
  if (!same_bits)
    if (AttentionPlan found = plan(true, workspace, why); found.plan) return found;
  // Composed kernels would hold the scores in float32, so that much is no loss.
  return quadratic <= workspace ? AttentionPlan{} : plan(false, 2 * quadratic, nullptr);
}

std::unique_ptr<Executable> attention(const Attention& attention, std::span<const Operand> inputs,
                                      std::span<const Operand> outputs, Context& context) {
  const DType dtype = inputs[0].dtype;
  if (dtype != DType::float16 && dtype != DType::bfloat16) return nullptr;
  for (const Operand& operand : inputs.first(3))
    if (operand.dtype != dtype || operand.shape->numel() == 0 || operand.shape->rank() != 4)
      return nullptr;
  const Operand& logsumexp = attention.backward ? inputs[attention.mask ? 5 : 4] : outputs[1];
  if (logsumexp.dtype != DType::float32 || *inputs[1].shape != *inputs[2].shape) return nullptr;
  const Shape &q = *inputs[0].shape, &k = *inputs[1].shape;
  const bool grouped = q[2] != k[2];
  if (grouped && !takes_groups(attention, q)) return nullptr;
  Device& device = context.part<Device>();
  const auto lost = [&](const std::string& why) {
    tell_fallback(attention, inputs, outputs, "cuDNN " + version(), why,
                  grouped ? "attention on keys and values that are repeated for each head"
                          : "a sequence of products and a softmax that hold all scores in memory");
  };
  if (device.target() == nullptr) {
    lost(device.why());
    return nullptr;
  }
  if (!is_right(attention, q, k)) {
    lost(
        "This version is known to be wrong for these lengths. Lengths of keys that are multiples "
        "of 128, and several queries, are right in all but 9.10.0 and 9.10.1.");
    return nullptr;
  }
  std::optional<MaskPlan> mask;
  if (attention.mask) {
    const Operand& given = inputs[3];
    if ((given.dtype != DType::boolean && !is_float(given.dtype)) || given.shape->rank() > 4)
      return nullptr;
    mask.emplace(attention, dtype, q, k[1], *given.shape, given.dtype);
  }
  const MaskPlan* const masked = mask ? &*mask : nullptr;
  const std::string key = std::string("attention ") + (attention.backward ? "backward " : "") +
                          (attention.causal ? "causal " : "") + operands_text(inputs, outputs);
  const AttentionPlan plan = device.attention(key, [&] {
    std::string why;
    AttentionPlan found = plan_attention(*device.target(), attention, dtype, q, k, masked,
                                         context.workspace_limit(), same_bits(), &why);
    if (!found.plan) lost(why);
    return found;
  });
  if (!plan.plan) return nullptr;
  auto executable =
      std::make_unique<AttentionExecutable>(attention, q, k, dtype, plan, masked, context);
  context.set_path("cuDNN " + version() + ", " + plan.plan->engine());
  return executable;
}

}  // namespace cornu::backend::cuda::cudnn
