// Operands for kernels that compute in another type than they are given.
#pragma once
#include <algorithm>
#include <optional>

#include "allocator.h"
#include "convert.h"
#include "kernels.h"

namespace cornu::backend::cpu {

/// An input in the compute type: itself, or a copy for as long as this lives.
class Converted {
 public:
  Converted(const Operand& operand, DType type) : data_(operand.data) {
    if (operand.dtype == type) return;
    const int64_t count = operand.shape->numel();
    copy_.emplace(std::max<size_t>(static_cast<size_t>(count) * size_of(type), 1));
    convert(operand.data, operand.dtype, copy_->data(), type, count);
    data_ = copy_->data();
  }
  const void* data() const { return data_; }

 private:
  const void* data_;
  std::optional<Scratch> copy_;
};

}  // namespace cornu::backend::cpu
