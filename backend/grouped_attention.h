// Attention whose queries share keys and values in groups of heads.
#pragma once
#include "dtype.h"

namespace cornu::backend {

/// What a device offers besides Backend whose Attention kernels also take k and v (batch, tk,
/// kv_heads, d), and give dk and dv of that shape, where kv_heads divides the heads of q: each of
/// them serves as many neighboring heads as there are for it.
class GroupedAttention {
 public:
  virtual ~GroupedAttention() = default;
  /// Whether it does for operands of this dtype, so that nobody needs to repeat keys and values.
  virtual bool groups_heads(DType dtype) = 0;
};

}  // namespace cornu::backend
