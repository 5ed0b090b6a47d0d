// Makes oneDNN's primitives for convolutions. conv_choice.h says which algorithm and layouts they
// work with.
#include "onednn_conv_plan.h"

#include <cstring>
#include <list>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "../error.h"
#include "conv_choice.h"

namespace cornu::backend::cpu::onednn {
namespace {

Argument make_argument(int name, const Desc& outside, const Desc& inside, bool output) {
  Argument argument{name, outside, inside};
  // oneDNN's fast code wants layouts of its own; reorders lie between them and Keras's.
  argument.differs = outside != inside;
  if (argument.differs) {
    const dnnl::reorder::primitive_desc desc(engine(), output ? inside : outside, engine(),
                                             output ? outside : inside, own_scratchpad());
    argument.reorder = dnnl::reorder(desc);
    argument.reorder_scratch = desc.scratchpad_desc().get_size();
  }
  return argument;
}

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

// The first of `channels` channels.
Desc slice_desc(const Dims& dims, int64_t channels, int64_t block) {
  Dims whole = dims;
  whole[1] = channels;
  // Blocks of one image are neighbors.
  // Then a slice of channels is contiguous and needs no strides.
  if (channels == dims[1] || (dims[0] == 1 && block != 0)) return data_desc(dims, block);
  return data_desc(whole, block).submemory_desc(dims, Dims(dims.size(), 0));
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
Desc kernel_desc(const ConvSizes& s, int64_t out_channels) {
  const Dims dims = kernel_dims(s);
  Dims strides(dims.size());
  const size_t first = s.groups > 1 ? 1 : 0;
  if (s.groups > 1) strides[0] = s.out_channels / s.groups;
  strides[first] = 1;
  strides[first + 1] = out_channels;
  int64_t stride = out_channels * (s.in_channels / s.groups);
  for (size_t axis = dims.size(); axis-- > first + 2; stride *= dims[axis]) strides[axis] = stride;
  return Desc(dims, float32, strides);
}

Plan make_plan(const ConvSizes& s, int64_t out_channels, const ConvChoice& choice) {
  const auto algorithm = dnnl::algorithm::convolution_direct;
  const Dims x_dims = data_dims(s, s.in_channels, s.x);
  const Dims y_dims = data_dims(s, s.out_channels, s.y);
  const Desc user_x = data_desc(x_dims, s.block_x);
  const Desc user_y = slice_desc(y_dims, out_channels, s.block_y);
  const Desc user_kernel = kernel_desc(s, out_channels);
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
  // Backward primitives ask for the description of a forward pass that trains as a hint.
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
std::shared_ptr<Plan> try_plan(const ConvSizes& sizes, int64_t out_channels,
                               const ConvChoice& choice) {
  try {
    return std::make_shared<Plan>(make_plan(sizes, out_channels, choice));
  } catch (const dnnl::error& error) {
    // Not a refusal: other choices would fail too, and the caller should know why.
    if (error.status == dnnl_out_of_memory)
      throw MemoryError("oneDNN has no memory for a convolution.");
    return nullptr;
  }
}

// The first choice for which there is fast code, or else the first with matrix products, or else
// the first that works at all. (AVX2 has no fast code for the gradient of filters larger than x.)
std::shared_ptr<const Plan> best_plan(const ConvSizes& sizes, int64_t out_channels) {
  const auto is_known = [](int64_t block) { return block == 0 || block == 8 || block == 16; };
  if (!is_known(sizes.block_x) || !is_known(sizes.block_y)) return nullptr;
  std::shared_ptr<Plan> slow;
  for (const ConvChoice& choice : conv_choices(sizes)) {
    auto plan = try_plan(sizes, out_channels, choice);
    if (plan == nullptr) continue;
    if (!plan->reference()) return plan;
    if (slow == nullptr || (slow->loops() && !plan->loops())) slow = std::move(plan);
  }
  return slow;
}

struct Key {
  ConvSizes sizes;
  int64_t out_channels;
  // All members are 64 bits wide, so there is no padding that could differ.
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
    auto plan = best_plan(key.sizes, key.out_channels);  // unlocked: takes milliseconds
    const std::lock_guard lock(mutex_);
    // Another thread may have made it meanwhile; all share the first one.
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

}  // namespace

std::shared_ptr<const Plan> plan_of(ConvSizes sizes, int64_t out_channels) {
  sizes.relu = 0;                            // not oneDNN's
  static PlanCache& cache = *new PlanCache;  // never destroyed, like the engine
  const OneThread scope;                     // primitives are made for the threads they see
  return cache.get({sizes, out_channels});
}

void check(dnnl_status_t status) {
  if (status == dnnl_success) return;
  if (status == dnnl_out_of_memory) throw MemoryError("oneDNN has no memory for a convolution.");
  throw StateError("oneDNN's convolution failed with status " +
                   std::to_string(static_cast<int>(status)) + ".");
}

}  // namespace cornu::backend::cpu::onednn
