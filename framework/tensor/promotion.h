// Which dtype the result of an operation has: Keras 3's promotion rules.
#pragma once
#include <span>

#include "tensor.h"

namespace cornu {

/// A dtype as promotion sees it: numbers written in C++ are weak and give way.
struct PromotionType {
  DType dtype;        ///< of the tensor
  bool weak = false;  ///< whether it is a C++ number
};

/// A tensor as promotion sees it.
inline PromotionType promotion_type(const Tensor& t) { return {t.dtype(), t.is_weak()}; }

/// The least dtype that all of these promote to, as keras.backend.result_type.
DType result_type(std::span<const PromotionType> types);
/// The same for two tensors.
DType result_type(const Tensor& a, const Tensor& b);
/// The same for two dtypes of which none is weak.
DType result_type(DType a, DType b);

/// The same, with integers and bools promoted to float32 (as ops on real numbers do).
DType float_result_type(std::span<const PromotionType> types);

/// The type in which elementwise programs on this dtype compute: float32 for 16-bit floats, int32
/// for bool and short integers, int64 for uint32; else itself.
DType compute_type(DType dtype);

}  // namespace cornu
