// Large matrix products and convolutions by oneDNN 2 or 3: primitives are made once for given sizes
// and kept.
//
// oneDNN takes its number of threads from OpenMP. It is set for the calling thread only, and put
// back.
#include "onednn.h"

#include <dnnl.h>
#include <omp.h>

#include <cstring>
#include <dnnl.hpp>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "../error.h"
#include "allocator.h"
#include "parallel.h"

namespace cornu::backend::cpu {
namespace {

using Desc = dnnl::memory::desc;
using Dims = dnnl::memory::dims;
using Tag = dnnl::memory::format_tag;
constexpr auto float32 = dnnl::memory::data_type::f32;

// A library call inside of a parallel region runs on one thread whatever is asked for.
int usable_threads(int wanted) {
  return omp_in_parallel() ? 1 : std::min(wanted, omp_get_thread_limit());
}

class ThreadScope {
 public:
  explicit ThreadScope(int threads) : before_(omp_get_max_threads()) {
    if (threads != before_) omp_set_num_threads(threads);
    changed_ = threads != before_;
  }
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;
  ~ThreadScope() {
    if (changed_) omp_set_num_threads(before_);
  }

 private:
  int before_;
  bool changed_;
};

// Never destroyed: threads may still end after the static variables are gone.
const dnnl::engine& engine() {
  static const dnnl::engine& cpu = *new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return cpu;
}

// Versions 2 and 3 differ in how a primitive is described. `hint` is the forward pass's
// description, for backward passes.
template <class Primitive, class Hint, class... Arguments>
auto describe(const Hint& hint, const Arguments&... arguments) {
  using PrimitiveDesc = typename Primitive::primitive_desc;
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
#if DNNL_VERSION_MAJOR >= 3
  if constexpr (std::is_null_pointer_v<Hint>)
    return PrimitiveDesc(engine(), arguments..., attributes);
  else
    return PrimitiveDesc(engine(), arguments..., hint, attributes);
#else
  const typename Primitive::desc description(arguments...);
  if constexpr (std::is_null_pointer_v<Hint>)
    return PrimitiveDesc(description, attributes, engine());
  else
    return PrimitiveDesc(description, attributes, engine(), hint);
#endif
}

// One operand of a primitive, with the reorder between the caller's layout and the primitive's, if
// they differ.
struct Argument {
  int name;
  Desc outside, inside;
  dnnl::reorder reorder{};
  size_t reorder_scratch = 0;
  bool differs = false;
};

Argument make_argument(int name, const Desc& outside, const Desc& inside, bool output) {
  Argument argument{name, outside, inside};
  argument.differs = outside != inside;
  if (argument.differs) {
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const dnnl::reorder::primitive_desc desc(engine(), output ? inside : outside, engine(),
                                             output ? outside : inside, attributes);
    argument.reorder = dnnl::reorder(desc);
    argument.reorder_scratch = desc.scratchpad_desc().get_size();
  }
  return argument;
}

struct Plan {
  dnnl::primitive primitive;
  std::array<Argument, 3> arguments;  // two inputs, one output
  Desc bias, scratch;
  bool reference = false;  // oneDNN's own slow code
};

// Sizes as oneDNN orders them: batch, channels, spatial axes.
Dims data_dims(const ConvSizes& s, int64_t channels, const std::array<int64_t, 3>& spatial) {
  Dims dims{s.batch, channels};
  dims.insert(dims.end(), spatial.end() - s.spatial, spatial.end());
  return dims;
}

Desc data_desc(const Dims& dims) {
  Dims strides(dims.size());
  strides[1] = 1;
  int64_t stride = dims[1];
  for (size_t axis = dims.size(); axis-- > 2; stride *= dims[axis]) strides[axis] = stride;
  strides[0] = stride;
  return Desc(dims, float32, strides);
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

// With `channels_last` the primitive works on the caller's data as it lies; otherwise it chooses.
Plan make_plan(const ConvSizes& s, bool channels_last) {
  const auto algorithm = dnnl::algorithm::convolution_direct;
  const Dims x_dims = data_dims(s, s.in_channels, s.x);
  const Dims y_dims = data_dims(s, s.out_channels, s.y);
  const Desc user_x = data_desc(x_dims), user_y = data_desc(y_dims), user_kernel = kernel_desc(s);
  const Desc x = channels_last ? user_x : Desc(x_dims, float32, Tag::any);
  const Desc y = channels_last ? user_y : Desc(y_dims, float32, Tag::any);
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
  const auto forward = describe<dnnl::convolution_forward>(nullptr, prop, algorithm, x, kernel,
                                                           bias, y, strides, dilation, low, high);
  const auto finish = [&](const auto& desc, auto primitive, const Argument& first,
                          const Argument& second, const Argument& out) {
    const std::string_view name = desc.impl_info_str();
    const bool slow = name.find("ref") != name.npos || name.find("gemm") != name.npos;
    return Plan{primitive, {first, second, out}, bias, desc.scratchpad_desc(), slow};
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
  const auto desc = describe<dnnl::convolution_backward_weights>(forward, algorithm, x, kernel, y,
                                                                 strides, dilation, low, high);
  return finish(desc, dnnl::convolution_backward_weights(desc),
                make_argument(DNNL_ARG_SRC, user_x, desc.src_desc(), false),
                make_argument(DNNL_ARG_DIFF_DST, user_y, desc.diff_dst_desc(), false),
                make_argument(DNNL_ARG_DIFF_WEIGHTS, user_kernel, desc.diff_weights_desc(), true));
}

// Null when oneDNN refuses these sizes.
std::shared_ptr<const Plan> try_plan(const ConvSizes& sizes, bool channels_last) {
  try {
    return std::make_shared<const Plan>(make_plan(sizes, channels_last));
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_out_of_memory)
      throw MemoryError("oneDNN has no memory for a convolution.");
    return nullptr;
  }
}

// Data stay where they lie when fast code exists for that: reordering them costs more than the
// faster code of blocked layouts gains.
std::shared_ptr<const Plan> best_plan(const ConvSizes& sizes) {
  const auto as_it_lies = try_plan(sizes, true);
  if (as_it_lies && !as_it_lies->reference) return as_it_lies;
  const auto chosen = try_plan(sizes, false);
  return chosen && !(chosen->reference && as_it_lies) ? chosen : as_it_lies;
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
    auto plan = best_plan(key.sizes);  // unlocked: it takes milliseconds
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

size_t aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }

dnnl::memory wrap(const Desc& desc, const void* data) {
  return dnnl::memory(desc, engine(), const_cast<void*>(data));
}

void run_reorder(const Argument& argument, const dnnl::stream& stream, const dnnl::memory& from,
                 const dnnl::memory& to, void* scratch) {
  std::unordered_map<int, dnnl::memory> operands{{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
  if (argument.reorder_scratch > 0) {
    const Desc desc({static_cast<int64_t>(argument.reorder_scratch)}, dnnl::memory::data_type::u8,
                    Tag::a);
    operands.emplace(DNNL_ARG_SCRATCHPAD, wrap(desc, scratch));
  }
  argument.reorder.execute(stream, operands);
}

void run_plan(const Plan& plan, const std::array<const void*, 3>& data, const float* bias) {
  static thread_local const dnnl::stream stream(engine());
  // One block: the reordered operands, then the scratchpad, which reorders and primitive use in
  // turn.
  size_t bytes = 0, scratch_bytes = plan.scratch.get_size();
  for (const Argument& argument : plan.arguments) {
    if (argument.differs) bytes += aligned(argument.inside.get_size());
    scratch_bytes = std::max(scratch_bytes, argument.reorder_scratch);
  }
  const Scratch block(std::max<size_t>(bytes + scratch_bytes, 1));
  char* next = static_cast<char*>(block.data());
  char* const scratch = next + bytes;

  std::unordered_map<int, dnnl::memory> operands;
  for (size_t i = 0; i < 3; ++i) {
    const Argument& argument = plan.arguments[i];
    const dnnl::memory outside = wrap(argument.outside, data[i]);
    if (!argument.differs) {
      operands.emplace(argument.name, outside);
      continue;
    }
    const dnnl::memory inside = wrap(argument.inside, next);
    next += aligned(argument.inside.get_size());
    if (i < 2) run_reorder(argument, stream, outside, inside, scratch);
    operands.emplace(argument.name, inside);
  }
  if (bias != nullptr) operands.emplace(DNNL_ARG_BIAS, wrap(plan.bias, bias));
  operands.emplace(DNNL_ARG_SCRATCHPAD, wrap(plan.scratch, scratch));
  plan.primitive.execute(stream, operands);
  const Argument& out = plan.arguments[2];
  if (out.differs)
    run_reorder(out, stream, operands[out.name], wrap(out.outside, data[2]), scratch);
}

}  // namespace

void onednn_matmul(const MatrixProduct<float>& p, int threads) {
  const ThreadScope scope(usable_threads(threads));
  const bool transpose_a = p.a_column != 1, transpose_b = p.b_column != 1;
  const int64_t a_stride = transpose_a ? std::max(p.a_column, p.m) : std::max(p.a_row, p.k);
  const int64_t b_stride = transpose_b ? std::max(p.b_column, p.k) : std::max(p.b_row, p.n);
  if (p.bias != nullptr)
    for (int64_t row = 0; row < p.m; ++row) std::copy_n(p.bias, p.n, p.c + row * p.c_row);
  const dnnl_status_t status =
      dnnl_sgemm(transpose_a ? 'T' : 'N', transpose_b ? 'T' : 'N', p.m, p.n, p.k, 1, p.a, a_stride,
                 p.b, b_stride, p.bias != nullptr ? 1.0f : 0.0f, p.c, p.c_row);
  if (status == dnnl_out_of_memory) throw MemoryError("oneDNN has no memory for a matrix product.");
  if (status != dnnl_success)
    throw StateError("oneDNN's matrix product failed with status " + std::to_string(status) + ".");
}

bool onednn_conv(const ConvSizes& sizes, const float* first, const float* second, const float* bias,
                 float* out) {
  static PlanCache& cache = *new PlanCache;  // never destroyed, like the engine
  const int threads = usable_threads(backend::threads());
  const ThreadScope scope(threads);
  const auto plan = cache.get({sizes, threads});
  if (plan == nullptr) return false;
  run_plan(*plan, {first, second, out}, bias);
  return true;
}

}  // namespace cornu::backend::cpu
