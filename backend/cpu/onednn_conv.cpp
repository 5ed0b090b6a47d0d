// Convolutions by oneDNN: plans are made once for given sizes and kept. conv_choice.h says which
// algorithm and layouts a plan works with.
#include <algorithm>
#include <cstring>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "../error.h"
#include "allocator.h"
#include "conv_choice.h"
#include "kept_filters.h"
#include "onednn.h"
#include "onednn_common.h"
#include "parallel.h"
#include "tile_kernels.h"

namespace cornu::backend::cpu {
namespace {

using namespace onednn;

// One operand of a primitive, with the reorder between the caller's layout and the primitive's, if
// they differ.
struct Argument {
  int name = 0;
  Desc outside, inside;
  dnnl::reorder reorder{};
  size_t reorder_scratch = 0;
  bool differs = false;
};

Argument make_argument(int name, const Desc& outside, const Desc& inside, bool output) {
  Argument argument{name, outside, inside};
  argument.differs = outside != inside;
  if (argument.differs) {
    const dnnl::reorder::primitive_desc desc(engine(), output ? inside : outside, engine(),
                                             output ? outside : inside, own_scratchpad());
    argument.reorder = dnnl::reorder(desc);
    argument.reorder_scratch = desc.scratchpad_desc().get_size();
  }
  return argument;
}

struct Plan {
  dnnl::primitive primitive;
  std::array<Argument, 3> arguments;  // two inputs, one output
  Desc bias, scratch;
  int bias_name = DNNL_ARG_BIAS;
  std::string name;
  int threads = 1;
  MatrixProduct<float> product{};  // of a plan that is a matrix product: its sizes

  bool is_product() const { return product.m > 0; }
  // oneDNN's own slow code.
  bool reference() const {
    return !is_product() && (name.find("ref") != name.npos || name.find("gemm") != name.npos);
  }
};

// Sizes as oneDNN orders them: batch, channels, spatial axes.
Dims data_dims(const ConvSizes& s, int64_t channels, const std::array<int64_t, 3>& spatial) {
  Dims dims{s.batch, channels};
  dims.insert(dims.end(), spatial.end() - s.spatial, spatial.end());
  return dims;
}

Desc channels_last_desc(const Dims& dims) {
  // With one channel this is channels first as well; oneDNN has to be told so.
  if (dims[1] == 1)
    return Desc(dims, float32,
                dims.size() == 3   ? Tag::ncw
                : dims.size() == 4 ? Tag::nchw
                                   : Tag::ncdhw);
  Dims strides(dims.size());
  strides[1] = 1;
  int64_t stride = dims[1];
  for (size_t axis = dims.size(); axis-- > 2; stride *= dims[axis]) strides[axis] = stride;
  strides[0] = stride;
  return Desc(dims, float32, strides);
}

Desc blocked_desc(const Dims& dims, int64_t block) {
  const bool wide = block == 16;
  switch (dims.size()) {
    case 3:
      return Desc(dims, float32, wide ? Tag::nCw16c : Tag::nCw8c);
    case 4:
      return Desc(dims, float32, wide ? Tag::nChw16c : Tag::nChw8c);
    default:
      return Desc(dims, float32, wide ? Tag::nCdhw16c : Tag::nCdhw8c);
  }
}

Desc data_desc(const Dims& dims, int64_t block) {
  if (block == any_layout) return Desc(dims, float32, Tag::any);
  return block == 0 ? channels_last_desc(dims) : blocked_desc(dims, block);
}

Dims kernel_dims(const ConvSizes& s) {
  Dims dims;
  if (s.groups > 1) dims.push_back(s.groups);
  dims.push_back(s.out_channels / s.groups);
  dims.push_back(s.in_channels / s.groups);
  dims.insert(dims.end(), s.kernel.end() - s.spatial, s.kernel.end());
  return dims;
}

// Keras stores (spatial..., in_channels / groups, out_channels), groups outermost in out_channels.
Desc kernel_desc(const ConvSizes& s) {
  const Dims dims = kernel_dims(s);
  Dims strides(dims.size());
  const size_t first = s.groups > 1 ? 1 : 0;
  if (s.groups > 1) strides[0] = s.out_channels / s.groups;
  strides[first] = 1;
  strides[first + 1] = s.out_channels;
  int64_t stride = s.out_channels * (s.in_channels / s.groups);
  for (size_t axis = dims.size(); axis-- > first + 2; stride *= dims[axis]) strides[axis] = stride;
  return Desc(dims, float32, strides);
}

// max(y, 0), where NaN stays: oneDNN's own relu behind a convolution makes it 0.
void cut_negative(float* y, int64_t count) {
  static const ElementwiseTile relu = float32_kernels().elementwise[static_cast<int>(Opcode::relu)];
  parallel_for(count, count, [&](int64_t begin, int64_t end) {
    relu(y + begin, nullptr, nullptr, y + begin, end - begin);
  });
}

// The backward pass over the weights of 1x1 windows, dkernel = x' dy, all channels last.
Plan product_plan(const ConvSizes& s) {
  Plan plan;
  plan.name = "sgemm";
  plan.product.m = s.in_channels;
  plan.product.n = s.out_channels;
  plan.product.k = s.batch * s.y[0] * s.y[1] * s.y[2];
  return plan;
}

Plan make_plan(const ConvSizes& s, const ConvChoice& choice) {
  if (choice.method == ConvMethod::product) return product_plan(s);
  const auto algorithm = dnnl::algorithm::convolution_direct;
  const Dims x_dims = data_dims(s, s.in_channels, s.x);
  const Dims y_dims = data_dims(s, s.out_channels, s.y);
  const Desc user_x = data_desc(x_dims, s.block_x), user_y = data_desc(y_dims, s.block_y);
  const Desc user_kernel = kernel_desc(s);
  const Desc x = data_desc(x_dims, choice.block_x), y = data_desc(y_dims, choice.block_y);
  const Desc kernel(kernel_dims(s), float32, Tag::any);
  const Desc bias = s.bias ? Desc({s.out_channels}, float32, Tag::a) : Desc();
  const auto last = [&](const std::array<int64_t, 3>& values) {
    return Dims(values.end() - s.spatial, values.end());
  };
  Dims dilation = last(s.dilation);
  for (auto& value : dilation) --value;  // oneDNN counts the gaps
  const Dims strides = last(s.strides), low = last(s.pad_low), high = last(s.pad_high);

  const auto pass = static_cast<ConvPass>(s.pass);
  const auto prop = pass == ConvPass::forward ? dnnl::prop_kind::forward_inference
                                              : dnnl::prop_kind::forward_training;
  const auto forward = describe_with<dnnl::convolution_forward>(
      own_scratchpad(), nullptr, prop, algorithm, x, kernel, bias, y, strides, dilation, low, high);
  const auto finish = [&](const auto& desc, auto primitive, const Argument& first,
                          const Argument& second, const Argument& out) {
    return Plan{primitive,
                {first, second, out},
                bias,
                desc.scratchpad_desc(),
                pass == ConvPass::forward ? DNNL_ARG_BIAS : DNNL_ARG_DIFF_BIAS,
                desc.impl_info_str()};
  };
  if (pass == ConvPass::forward)
    return finish(forward, dnnl::convolution_forward(forward),
                  make_argument(DNNL_ARG_SRC, user_x, forward.src_desc(), false),
                  make_argument(DNNL_ARG_WEIGHTS, user_kernel, forward.weights_desc(), false),
                  make_argument(DNNL_ARG_DST, user_y, forward.dst_desc(), true));
  if (pass == ConvPass::backward_data) {
    const auto desc = describe<dnnl::convolution_backward_data>(forward, algorithm, x, kernel, y,
                                                                strides, dilation, low, high);
    return finish(desc, dnnl::convolution_backward_data(desc),
                  make_argument(DNNL_ARG_DIFF_DST, user_y, desc.diff_dst_desc(), false),
                  make_argument(DNNL_ARG_WEIGHTS, user_kernel, desc.weights_desc(), false),
                  make_argument(DNNL_ARG_DIFF_SRC, user_x, desc.diff_src_desc(), true));
  }
  const auto desc = describe<dnnl::convolution_backward_weights>(
      forward, algorithm, x, kernel, bias, y, strides, dilation, low, high);
  return finish(desc, dnnl::convolution_backward_weights(desc),
                make_argument(DNNL_ARG_SRC, user_x, desc.src_desc(), false),
                make_argument(DNNL_ARG_DIFF_DST, user_y, desc.diff_dst_desc(), false),
                make_argument(DNNL_ARG_DIFF_WEIGHTS, user_kernel, desc.diff_weights_desc(), true));
}

// Null when oneDNN refuses.
std::shared_ptr<Plan> try_plan(const ConvSizes& sizes, const ConvChoice& choice) {
  try {
    return std::make_shared<Plan>(make_plan(sizes, choice));
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_out_of_memory)
      throw MemoryError("oneDNN has no memory for a convolution.");
    return nullptr;
  }
}

// The first choice for which there is fast code, or else the first that works at all.
std::shared_ptr<const Plan> best_plan(const ConvSizes& sizes, int threads) {
  const auto is_known = [](int64_t block) { return block == 0 || block == 8 || block == 16; };
  if (!is_known(sizes.block_x) || !is_known(sizes.block_y)) return nullptr;
  std::shared_ptr<Plan> slow;
  for (const ConvChoice& choice : conv_choices(sizes)) {
    auto plan = try_plan(sizes, choice);
    if (plan == nullptr) continue;
    plan->threads = threads;
    if (!plan->reference()) return plan;
    if (slow == nullptr) slow = std::move(plan);
  }
  return slow;
}

struct Key {
  ConvSizes sizes;
  int64_t threads;
  bool operator==(const Key& other) const { return std::memcmp(this, &other, sizeof *this) == 0; }
};

struct KeyHash {
  size_t operator()(const Key& key) const {
    static_assert(sizeof(Key) % sizeof(uint64_t) == 0);
    uint64_t words[sizeof(Key) / sizeof(uint64_t)];
    std::memcpy(words, &key, sizeof key);
    uint64_t hash = 0;
    for (const uint64_t word : words) {
      hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 29;
    }
    return hash;
  }
};

// The most recently used plans, so that ever new shapes do not fill the memory.
class PlanCache {
 public:
  std::shared_ptr<const Plan> get(const Key& key) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = index_.find(key); found != index_.end()) {
        plans_.splice(plans_.begin(), plans_, found->second);
        return found->second->second;
      }
    }
    auto plan =
        best_plan(key.sizes, static_cast<int>(key.threads));  // unlocked: takes milliseconds
    const std::lock_guard lock(mutex_);
    if (const auto found = index_.find(key); found != index_.end()) return found->second->second;
    plans_.emplace_front(key, plan);
    index_[key] = plans_.begin();
    if (plans_.size() > capacity) {
      index_.erase(plans_.back().first);
      plans_.pop_back();
    }
    return plan;
  }

 private:
  static constexpr size_t capacity = 512;
  using Plans = std::list<std::pair<Key, std::shared_ptr<const Plan>>>;
  std::mutex mutex_;
  Plans plans_;
  std::unordered_map<Key, Plans::iterator, KeyHash> index_;
};

std::shared_ptr<const Plan> plan_of(ConvSizes sizes, int threads) {
  sizes.relu = 0;                            // not oneDNN's
  static PlanCache& cache = *new PlanCache;  // never destroyed, like the engine
  const ThreadScope scope(threads);          // primitives are made for the threads they see
  return cache.get({sizes, threads});
}

void check(dnnl_status_t status) {
  if (status == dnnl_success) return;
  if (status == dnnl_out_of_memory) throw MemoryError("oneDNN has no memory for a convolution.");
  throw StateError("oneDNN's convolution failed with status " +
                   std::to_string(static_cast<int>(status)) + ".");
}

// The memory objects of a plan, and the lists of arguments that its calls take: C arrays, because
// dnnl.hpp's calls build theirs anew each time.
class BoundPlan {
 public:
  BoundPlan(const ConvSizes& sizes, std::shared_ptr<const Plan> plan)
      : plan_(std::move(plan)),
        relu_count_(sizes.relu
                        ? sizes.batch * sizes.out_channels * sizes.y[0] * sizes.y[1] * sizes.y[2]
                        : 0) {
    if (plan_->is_product()) return;
    scratch_bytes_ = plan_->scratch.get_size();
    for (size_t i = 0; i < 3; ++i) {
      const Argument& argument = plan_->arguments[i];
      outside_[i] = empty(argument.outside);
      arguments_[i] = {argument.name, outside_[i].get()};
      if (!argument.differs) continue;
      inside_[i] = empty(argument.inside);
      arguments_[i].memory = inside_[i].get();
      inside_bytes_ += aligned(argument.inside.get_size());
      scratch_bytes_ = std::max(scratch_bytes_, argument.reorder_scratch);
      const dnnl_memory_t from = (i < 2 ? outside_ : inside_)[i].get();
      const dnnl_memory_t to = (i < 2 ? inside_ : outside_)[i].get();
      const Desc scratch({static_cast<int64_t>(argument.reorder_scratch)},
                         dnnl::memory::data_type::u8, Tag::a);
      reorder_scratch_[i] = empty(argument.reorder_scratch > 0 ? scratch : Desc());
      reorders_[i] = {{{DNNL_ARG_FROM, from},
                       {DNNL_ARG_TO, to},
                       {DNNL_ARG_SCRATCHPAD, reorder_scratch_[i].get()}}};
    }
    scratch_ = empty(plan_->scratch);
    arguments_[3] = {DNNL_ARG_SCRATCHPAD, scratch_.get()};
    bias_ = empty(plan_->bias);
    arguments_[4] = {plan_->bias_name, bias_.get()};
    argument_count_ = plan_->bias == Desc() ? 4 : 5;
  }

  const Plan& plan() const { return *plan_; }

  void run(const ConvData& operands) {
    const ThreadScope scope(plan_->threads);
    if (plan_->is_product()) {
      const MatrixProduct<float>& p = plan_->product;
      return check(dnnl_sgemm('T', 'N', p.m, p.n, p.k, 1, operands.first, p.m, operands.second, p.n,
                              0, operands.out, p.n));
    }
    static thread_local const dnnl::stream stream(engine());
    // One block: the reordered operands, then the scratchpad, which reorders and primitive use in
    // turn. Kept blocks would add up over a whole network.
    const Scratch block(std::max<size_t>(inside_bytes_ + scratch_bytes_, 1));
    char* next = static_cast<char*>(block.data());
    char* const scratch = next + inside_bytes_;
    const void* const data[3] = {operands.first, operands.second, operands.out};
    for (size_t i = 0; i < 3; ++i) {
      if (i == 1 && kept_.data() != nullptr) continue;
      set(outside_[i], data[i]);
      if (!plan_->arguments[i].differs) continue;
      set(inside_[i], next);
      next += aligned(plan_->arguments[i].inside.get_size());
      if (plan_->arguments[i].reorder_scratch > 0) set(reorder_scratch_[i], scratch);
      if (i < 2) reorder(i, stream);
    }
    if (argument_count_ == 5)
      set(bias_, operands.bias_gradient != nullptr ? operands.bias_gradient : operands.bias);
    if (plan_->scratch.get_size() > 0) set(scratch_, scratch);
    check(dnnl_primitive_execute(plan_->primitive.get(), stream.get(), argument_count_,
                                 arguments_.data()));
    if (plan_->arguments[2].differs) reorder(2, stream);
    if (relu_count_ > 0) cut_negative(operands.out, relu_count_);
  }

  bool reorders_second() const { return plan_->arguments[1].differs; }
  // Reorders the second operand into memory that stays.
  void keep_second(const float* second) {
    const dnnl::stream stream(engine());
    const Scratch scratch(std::max<size_t>(scratch_bytes_, 1));
    const size_t bytes = plan_->arguments[1].inside.get_size();
    const bool first = kept_.data() == nullptr;
    set(inside_[1], kept_.make(bytes));
    if (first) inside_bytes_ -= aligned(bytes);
    set(outside_[1], second);
    if (plan_->arguments[1].reorder_scratch > 0) set(reorder_scratch_[1], scratch.data());
    reorder(1, stream);
    kept_.share();
    set(inside_[1], kept_.data());
  }

 private:
  static dnnl::memory empty(const Desc& desc) { return dnnl::memory(desc, engine(), nullptr); }
  static void set(const dnnl::memory& memory, const void* data) {
    check(dnnl_memory_set_data_handle(memory.get(), const_cast<void*>(data)));
  }
  void reorder(size_t i, const dnnl::stream& stream) {
    const int count = plan_->arguments[i].reorder_scratch > 0 ? 3 : 2;
    check(dnnl_primitive_execute(plan_->arguments[i].reorder.get(), stream.get(), count,
                                 reorders_[i].data()));
  }

  std::shared_ptr<const Plan> plan_;
  int64_t relu_count_;  // of results
  std::array<dnnl::memory, 3> outside_, inside_, reorder_scratch_;
  dnnl::memory bias_, scratch_;
  std::array<dnnl_exec_arg_t, 5> arguments_{};
  std::array<std::array<dnnl_exec_arg_t, 3>, 3> reorders_{};
  int argument_count_ = 0;
  size_t inside_bytes_ = 0, scratch_bytes_ = 0;
  KeptFilters kept_;  // the second operand, if it is kept
};

class OneDnnConv final : public PreparedConv {
 public:
  OneDnnConv(const ConvSizes& sizes, std::shared_ptr<const Plan> plan)
      : sizes_(sizes), bound_(sizes, std::move(plan)) {}

  void run(const ConvData& data) override {
    const int threads = usable_threads(backend::threads());
    // Filters that are kept are in the layout of the plan that they were kept for.
    if (threads != bound_.plan().threads && !keeps_)
      bound_ = BoundPlan(sizes_, plan_of(sizes_, threads));
    bound_.run(data);
  }
  bool gives_bias_gradient() const override {
    return static_cast<ConvPass>(sizes_.pass) == ConvPass::backward_weights && sizes_.bias != 0 &&
           !bound_.plan().is_product();
  }
  bool reorders_filters() const override { return bound_.reorders_second(); }
  void keep_filters(const float* filters) override {
    keeps_ = true;
    bound_.keep_second(filters);
  }

 private:
  ConvSizes sizes_;
  BoundPlan bound_;
  bool keeps_ = false;
};

}  // namespace

bool onednn_conv(const ConvSizes& sizes, const ConvData& data) {
  auto plan = plan_of(sizes, usable_threads(backend::threads()));
  if (plan == nullptr) return false;
  BoundPlan(sizes, std::move(plan)).run(data);
  return true;
}

std::unique_ptr<PreparedConv> prepare_onednn_conv(const ConvSizes& sizes) {
  auto plan = plan_of(sizes, usable_threads(backend::threads()));
  return plan == nullptr ? nullptr : std::make_unique<OneDnnConv>(sizes, std::move(plan));
}

std::string onednn_conv_name(const ConvSizes& sizes) {
  const auto plan = plan_of(sizes, usable_threads(backend::threads()));
  return plan == nullptr ? "" : plan->name;
}

int64_t onednn_channel_block() {
  static const int64_t block = [] {
    const auto isa = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
    const auto has = [isa](dnnl::cpu_isa wanted) {
      return (isa & static_cast<unsigned>(wanted)) == static_cast<unsigned>(wanted);
    };
    return has(dnnl::cpu_isa::avx512_core) ? 16 : has(dnnl::cpu_isa::avx) ? 8 : 0;
  }();
  return block;
}

}  // namespace cornu::backend::cpu
