// Convolutions by oneDNN: its calls, each on one thread, are the pieces of Cornu's own loops.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "allocator.h"
#include "conv_choice.h"
#include "conv_parts.h"
#include "kept_filters.h"
#include "matmul.h"
#include "onednn.h"
#include "onednn_conv_plan.h"
#include "parallel.h"
#include "tile_kernels.h"

namespace cornu::backend::cpu {
namespace {

using namespace onednn;

// max(y, 0), where NaN stays: oneDNN's own relu behind a convolution makes it 0.
void cut_negative(float* y, int64_t count) {
  static const ElementwiseTile relu = float32_kernels().elementwise[static_cast<int>(Opcode::relu)];
  relu(y, nullptr, nullptr, y, count);
}

dnnl::memory empty_memory(const Desc& desc) { return dnnl::memory(desc, engine(), nullptr); }

void set(const dnnl::memory& memory, const void* data) {
  check(dnnl_memory_set_data_handle(memory.get(), const_cast<void*>(data)));
}

const dnnl::stream& this_threads_stream() {
  static thread_local const dnnl::stream stream(engine());
  return stream;
}

// The reorder of an operand. The lists of arguments are C arrays, because dnnl.hpp's calls build
// theirs anew each time.
class Reorder {
 public:
  Reorder() = default;
  Reorder(const Argument& argument, const dnnl::memory& from, const dnnl::memory& to)
      : reorder_(argument.reorder) {
    const Desc scratch({static_cast<int64_t>(argument.reorder_scratch)},
                       dnnl::memory::data_type::u8, Tag::a);
    has_scratch_ = argument.reorder_scratch > 0;
    scratch_ = empty_memory(has_scratch_ ? scratch : Desc());
    arguments_ = {{{DNNL_ARG_FROM, from.get()},
                   {DNNL_ARG_TO, to.get()},
                   {DNNL_ARG_SCRATCHPAD, scratch_.get()}}};
  }
  void run(void* scratch) const {
    if (has_scratch_) set(scratch_, scratch);
    check(dnnl_primitive_execute(reorder_.get(), this_threads_stream().get(), has_scratch_ ? 3 : 2,
                                 arguments_.data()));
  }

 private:
  dnnl::reorder reorder_;
  dnnl::memory scratch_;
  bool has_scratch_ = false;
  std::array<dnnl_exec_arg_t, 3> arguments_{};
};

// One part of a convolution with its memory objects, for one thread at a time.
class Call {
 public:
  Call(const ConvPart& part, std::shared_ptr<const Plan> plan)
      : plan_(std::move(plan)),
        part_(part),
        relu_count_(part.sizes.relu ? part.sizes.batch * part.sizes.out_channels * part.sizes.y[0] *
                                          part.sizes.y[1] * part.sizes.y[2]
                                    : 0) {
    scratch_bytes_ = plan_->scratch.get_size();
    for (size_t i = 0; i < 3; ++i) {
      const Argument& argument = plan_->arguments[i];
      outside_[i] = empty_memory(argument.outside);
      arguments_[i] = {argument.name, outside_[i].get()};
      if (!argument.differs) continue;
      inside_[i] = empty_memory(argument.inside);
      arguments_[i].memory = inside_[i].get();
      inside_bytes_ += aligned(argument.inside.get_size());
      scratch_bytes_ = std::max(scratch_bytes_, argument.reorder_scratch);
      reorders_[i] = i < 2 ? Reorder(argument, outside_[i], inside_[i])
                           : Reorder(argument, inside_[i], outside_[i]);
    }
    scratch_ = empty_memory(plan_->scratch);
    arguments_[3] = {DNNL_ARG_SCRATCHPAD, scratch_.get()};
    bias_ = empty_memory(plan_->bias);
    arguments_[4] = {plan_->bias_name, bias_.get()};
    argument_count_ = plan_->bias == Desc() ? 4 : 5;
  }

  const Plan& plan() const { return *plan_; }
  bool reorders_filters() const { return plan_->arguments[1].differs; }

  // `filters`, unless null, are the second operand in the plan's layout.
  void run(const ConvData& operands, const void* filters) const {
    const OneThread scope;
    // One block: the reordered operands, then the scratchpad, which reorders and primitive use in
    // turn. Kept blocks would add up over a whole network.
    const Scratch block(std::max<size_t>(inside_bytes_ + scratch_bytes_, 1));
    char* next = static_cast<char*>(block.data());
    char* const scratch = next + inside_bytes_;
    float* const out = operands.out + part_.out;
    const void* const data[3] = {operands.first + part_.first, operands.second + part_.second, out};
    for (size_t i = 0; i < 3; ++i) {
      if (i == 1 && filters != nullptr) {
        set(inside_[1], filters);
        continue;
      }
      set(outside_[i], data[i]);
      if (!plan_->arguments[i].differs) continue;
      set(inside_[i], next);
      next += aligned(plan_->arguments[i].inside.get_size());
      if (i < 2) reorders_[i].run(scratch);
    }
    if (argument_count_ == 5)
      set(bias_, (operands.bias_gradient != nullptr ? operands.bias_gradient : operands.bias) +
                     part_.bias);
    if (plan_->scratch.get_size() > 0) set(scratch_, scratch);
    check(dnnl_primitive_execute(plan_->primitive.get(), this_threads_stream().get(),
                                 argument_count_, arguments_.data()));
    if (plan_->arguments[2].differs) reorders_[2].run(scratch);
    if (relu_count_ > 0) cut_negative(out, relu_count_);
  }

  size_t filter_bytes() const { return plan_->arguments[1].inside.get_size(); }
  void reorder_filters(const float* second, void* to) const {
    const OneThread scope;
    const Scratch scratch(std::max<size_t>(plan_->arguments[1].reorder_scratch, 1));
    set(inside_[1], to);
    set(outside_[1], second + part_.second);
    reorders_[1].run(scratch.data());
  }

 private:
  std::shared_ptr<const Plan> plan_;
  ConvPart part_;
  int64_t relu_count_;  // of results, which are neighbors
  std::array<dnnl::memory, 3> outside_, inside_;
  std::array<Reorder, 3> reorders_;
  dnnl::memory bias_, scratch_;
  std::array<dnnl_exec_arg_t, 5> arguments_{};
  int argument_count_ = 0;
  size_t inside_bytes_ = 0, scratch_bytes_ = 0;
};

// The backward pass over the weights of 1x1 windows, dkernel = x' dy, all channels last.
MatrixProduct<float> product_of(const ConvSizes& s) {
  MatrixProduct<float> p{};
  p.m = s.in_channels;
  p.n = s.out_channels;
  p.k = s.batch * s.y[0] * s.y[1] * s.y[2];
  p.a_row = 1;
  p.a_column = s.in_channels;
  p.b_row = s.out_channels;
  p.b_column = 1;
  p.c_row = s.out_channels;
  return p;
}

class OneDnnConv final : public PreparedConv {
 public:
  explicit OneDnnConv(const ConvSizes& sizes) : sizes_(sizes) {
    if (is_wide_product(sizes)) {
      product_ = product_of(sizes);
      return;
    }
    if (make(conv_parts(sizes))) return;
    calls_.clear();
    if (!make(conv_parts_by_images(sizes))) calls_.clear();
  }
  // Whether oneDNN has code for these sizes.
  bool is_ready() const { return product_ || !calls_.empty(); }
  std::string name() const { return product_ ? "sgemm" : calls_.front().plan().name; }

  void run(const ConvData& data) override {
    if (product_) {
      MatrixProduct<float> p = *product_;
      p.a = data.first;
      p.b = data.second;
      p.c = data.out;
      return matrix_product(p);
    }
    if (adds_) return run_and_add(data);
    std::optional<Scratch> own;
    const void* filters = nullptr;
    if (shares_filters_ && reorders_filters() && kept_.empty()) {
      own.emplace(calls_.front().filter_bytes());
      calls_.front().reorder_filters(data.second, own->data());
      filters = own->data();
    }
    each_call([&](int64_t i) {
      const auto at = static_cast<size_t>(i);
      calls_[at].run(data, kept_.empty() ? filters : kept_[shares_filters_ ? 0 : at].data());
    });
  }
  bool gives_bias_gradient() const override {
    return static_cast<ConvPass>(sizes_.pass) == ConvPass::backward_weights && sizes_.bias != 0 &&
           !product_;
  }
  bool reorders_filters() const override {
    return static_cast<ConvPass>(sizes_.pass) != ConvPass::backward_weights && !product_ &&
           calls_.front().reorders_filters();
  }
  void keep_filters(const float* filters) override {
    kept_.resize(shares_filters_ ? 1 : calls_.size());
    for (size_t i = 0; i < kept_.size(); ++i) {
      calls_[i].reorder_filters(filters, kept_[i].make(calls_[i].filter_bytes()));
      kept_[i].share();
    }
  }

 private:
  bool make(const ConvParts& cut) {
    adds_ = cut.adds;
    shares_filters_ = cut.shares_filters;
    for (const ConvPart& part : cut.parts) {
      auto plan = plan_of(part.sizes, sizes_.out_channels);
      if (plan == nullptr) return false;
      calls_.emplace_back(part, std::move(plan));
      if (shares_filters_ &&
          calls_.back().plan().arguments[1].inside != calls_.front().plan().arguments[1].inside)
        return false;
    }
    work_ = sizes_.batch * sizes_.y[0] * sizes_.y[1] * sizes_.y[2] * filter_elements();
    return true;
  }
  int64_t filter_elements() const {
    return sizes_.kernel[0] * sizes_.kernel[1] * sizes_.kernel[2] *
           (sizes_.in_channels / sizes_.groups) * sizes_.out_channels;
  }

  template <class F>
  void each_call(F&& f) const {
    parallel_or_throw(static_cast<int64_t>(calls_.size()), work_, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) f(i);
    });
  }

  // All parts but the first have gradients of their own, which are added up in order.
  void run_and_add(const ConvData& data) const {
    const int64_t filters = filter_elements(), biases = sizes_.bias ? sizes_.out_channels : 0;
    const auto others = static_cast<int64_t>(calls_.size()) - 1;
    const Scratch scratch(static_cast<size_t>(others * (filters + biases)) * sizeof(float));
    float* const gradients = static_cast<float*>(scratch.data());
    float* const bias_gradients = gradients + others * filters;
    each_call([&](int64_t i) {
      ConvData own = data;
      if (i > 0) own.out = gradients + (i - 1) * filters;
      if (i > 0 && biases > 0) own.bias_gradient = bias_gradients + (i - 1) * biases;
      calls_[static_cast<size_t>(i)].run(own, nullptr);
    });
    const auto add = [&](const float* from, int64_t count, float* to) {
      parallel_for(count, count * others, [&](int64_t begin, int64_t end) {
        for (int64_t part = 0; part < others; ++part)
          for (int64_t i = begin; i < end; ++i) to[i] += from[part * count + i];
      });
    };
    add(gradients, filters, data.out);
    if (biases > 0) add(bias_gradients, biases, data.bias_gradient);
  }

  ConvSizes sizes_;
  std::vector<Call> calls_;
  std::optional<MatrixProduct<float>> product_;  // instead of calls
  std::vector<KeptFilters> kept_;                // of all calls, or of each
  bool adds_ = false, shares_filters_ = false;
  int64_t work_ = 0;
};

std::unique_ptr<OneDnnConv> conv_of(const ConvSizes& sizes) {
  auto conv = std::make_unique<OneDnnConv>(sizes);
  return conv->is_ready() ? std::move(conv) : nullptr;
}

}  // namespace

bool onednn_conv(const ConvSizes& sizes, const ConvData& data) {
  const auto conv = conv_of(sizes);
  if (conv != nullptr) conv->run(data);
  return conv != nullptr;
}

std::unique_ptr<PreparedConv> prepare_onednn_conv(const ConvSizes& sizes) { return conv_of(sizes); }

std::string onednn_conv_name(const ConvSizes& sizes) {
  const auto conv = conv_of(sizes);
  return conv == nullptr ? "" : conv->name();
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
