// Bringing a convolution's data into channel blocks and back.
#include "blocked_conv.h"

#include <utility>

#include "../kernel.h"
#include "allocator.h"
#include "blocks.h"

namespace cornu::backend::cpu {
namespace {

class BlockedConv final : public PreparedConv {
 public:
  BlockedConv(const ConvSizes& s, int64_t block, std::unique_ptr<PreparedConv> conv)
      : pass_(static_cast<ConvPass>(s.pass)),
        x_{s.batch, s.in_channels, s.x[0] * s.x[1] * s.x[2], block},
        y_{s.batch, s.out_channels, s.y[0] * s.y[1] * s.y[2], block},
        conv_(std::move(conv)) {}

  void run(const ConvData& operands) override {
    // Only while it runs: the kernels of a plan share this memory.
    const Scratch copies(static_cast<size_t>(x_.count() + y_.count()) * sizeof(float));
    float* const x = static_cast<float*>(copies.data());
    float* const y = x + x_.count();
    ConvData blocked = operands;
    if (pass_ == ConvPass::backward_data) {
      make_blocks(y_, operands.first, y);
      blocked.first = y;
      blocked.out = x;
    } else {
      make_blocks(x_, operands.first, x);
      blocked.first = x;
    }
    if (pass_ == ConvPass::backward_weights) {
      make_blocks(y_, operands.second, y);
      blocked.second = y;
    } else if (pass_ == ConvPass::forward) {
      blocked.out = y;
    }
    conv_->run(blocked);
    if (pass_ == ConvPass::forward) unblock(y_, y, operands.out);
    if (pass_ == ConvPass::backward_data) unblock(x_, x, operands.out);
  }
  bool gives_bias_gradient() const override { return conv_->gives_bias_gradient(); }
  bool reorders_filters() const override { return conv_->reorders_filters(); }
  void keep_filters(const float* filters) override { conv_->keep_filters(filters); }

 private:
  ConvPass pass_;
  BlockSizes x_, y_;
  std::unique_ptr<PreparedConv> conv_;
};

}  // namespace

std::unique_ptr<PreparedConv> with_channels_last(const ConvSizes& sizes, int64_t block,
                                                 std::unique_ptr<PreparedConv> conv) {
  return std::make_unique<BlockedConv>(sizes, block, std::move(conv));
}

}  // namespace cornu::backend::cpu
