// What the passes of attention are given, and the sizes of their blocks.
#pragma once
#include <array>
#include <cstdint>

namespace cornu::backend::cpu {

/// Operands in the compute type. Forwards y and logsumexp are written, backwards read.
template <class T>
struct AttentionProblem {
  int64_t batch, heads, queries, keys, depth;
  double scale;
  bool causal;
  const T *q, *k, *v;
  const T* added;              // the float mask, or null
  const unsigned char* shown;  // the boolean mask, or null
  std::array<int64_t, 4> mask_strides;
  T *y, *logsumexp;
  const T* dy;
  T *dq, *dk, *dv;

  int64_t step() const { return heads * depth; }  // from one query or key to the next
  int64_t pairs() const { return batch * heads; }
  int64_t query_offset(int64_t pair, int64_t i) const {
    return ((pair / heads * queries + i) * heads + pair % heads) * depth;
  }
  int64_t key_offset(int64_t pair) const {
    return (pair / heads * keys * heads + pair % heads) * depth;
  }
};

inline constexpr int64_t query_block =
    48;  // a multiple of the rows of every instruction set's tiles
inline constexpr int64_t key_block = 256;  // a multiple of every panel's width
// Fewer queries do not pay for packing all keys and values.
inline constexpr int64_t least_packed = 4;
// Heads whose keys are then read together.
inline constexpr int64_t few_pairs = 16;

}  // namespace cornu::backend::cpu
