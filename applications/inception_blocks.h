// What InceptionV3 and InceptionResNetV2 share: their first layers, and blocks of branches that are
// joined.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "network.h"

namespace cornu::applications::detail {

/// A convolution with normalization and relu behind it.
struct InceptionConv {
  int64_t filters, rows, columns;  ///< channels, and the kernel's size
  int64_t stride = 1;              ///< along both axes
  std::string padding = "same";    ///< or "valid"
};

using InceptionBranch = std::vector<InceptionConv>;  ///< one after the other

/// Branches from one tensor that are joined, with a pooling as the last.
struct InceptionBlock {
  std::string name;                       ///< of the layer that joins
  std::vector<InceptionBranch> branches;  ///< besides the pooling
  /// Channels of the convolution behind average pooling of stride 1; none: maximum pooling of
  /// stride 2.
  std::optional<int64_t> average_filters = {};
};

/// x through the convolution, normalization without a scale, and relu. `name` is the convolution's;
/// the others add "_bn" and "_ac". Without one they are named after their classes.
Tensor inception_conv(const Network& net, Tensor x, const InceptionConv& conv,
                      const std::string& name = "");
/// x through one convolution after the other.
Tensor inception_branch(const Network& net, Tensor x, const InceptionBranch& branch);
/// The results of branches, side by side.
Tensor join(const Network& net, const std::vector<Tensor>& branches, const std::string& name);
/// Average pooling of stride 1 and a 1x1 convolution.
Tensor average_branch(const Network& net, const Tensor& x, int64_t filters);
/// A block of branches from x.
Tensor inception_block(const Network& net, const Tensor& x, const InceptionBlock& block);
/// The first five convolutions and two poolings, from the image.
Tensor inception_stem(const Network& net);

}  // namespace cornu::applications::detail
