// What both passes of attention do for one pair of batch and head. Included once per target.
#if defined(CORNU_ATTENTION_PASS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef CORNU_ATTENTION_PASS_INL_H
#undef CORNU_ATTENTION_PASS_INL_H
#else
#define CORNU_ATTENTION_PASS_INL_H
#endif

#include <algorithm>
#include <initializer_list>
#include <limits>

#include "attention_problem.h"
#include "panel_matmul-inl.h"
#include "row_softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::cpu {
namespace HWY_NAMESPACE {

template <class T>
constexpr T nothing = -std::numeric_limits<T>::infinity();

// What both passes do for one pair of batch and head, in memory of their own.
template <class T>
class AttentionPass {
 public:
  static constexpr int64_t width = panel_width<T>;

  explicit AttentionPass(const AttentionProblem<T>& problem)
      : p_(problem), depth_(round_up(problem.depth, width)) {}

 protected:
  T* take(int64_t count) {
    T* const start = memory_;
    memory_ += round_up(count, 16);
    return start;
  }
  static int64_t taken(std::initializer_list<int64_t> counts) {
    int64_t all = 0;
    for (int64_t count : counts) all += round_up(count, 16);
    return all;
  }

  int64_t visible(int64_t query, int64_t key, int64_t count) const {
    return p_.causal ? std::clamp<int64_t>(query + 1 - key, 0, count) : count;
  }

  // out (rows, key_block) = rows of `from` from query q0 on x panels of (depth, keys) for keys [k0,
  // k0 + count); what causality hides from whole tiles is left as it is.
  void scores(const T* from, const T* panels, int64_t q0, int64_t rows, int64_t k0, int64_t count,
              T* out) const {
    for (int64_t column = 0; column < count; column += width) {
      const int64_t hidden = p_.causal ? std::max<int64_t>(k0 + column - q0, 0) : 0;
      const int64_t first = std::min(hidden / panel_rows * panel_rows, rows);
      panel_rows_product<false, false>(rows - first, from + first * p_.step(), p_.step(),
                                       panels + (k0 + column) * p_.depth, p_.depth,
                                       out + first * key_block + column, key_block);
    }
  }

  int64_t mask_offset(int64_t pair, int64_t query, int64_t key) const {
    const auto& strides = p_.mask_strides;
    return pair / p_.heads * strides[0] + pair % p_.heads * strides[1] + query * strides[2] +
           key * strides[3];
  }
  bool hides(int64_t pair, int64_t query, int64_t key) const {
    return p_.shown && !p_.shown[mask_offset(pair, query, key)];
  }

  void apply_mask(int64_t pair, int64_t query, int64_t key, int64_t count, T* s) const {
    const int64_t at = mask_offset(pair, query, key), step = p_.mask_strides[3];
    if (p_.shown) {
      const unsigned char* const mask = p_.shown + at;
      if (step)
        for (int64_t j = 0; j < count; ++j) s[j] = mask[j] ? s[j] : nothing<T>;
      else if (!*mask)
        std::fill(s, s + count, nothing<T>);
    } else if (p_.added) {
      const T* const mask = p_.added + at;
      for (int64_t j = 0; j < count; ++j) s[j] += mask[j * step];
    }
  }

  // to (rows, depth) (+)= weights (rows, key_block) x panels of (keys, depth) at keys [k0, k0 +
  // count)
  void weigh(const T* weights, const T* panels, int64_t q0, int64_t rows, int64_t k0, int64_t count,
             T* to) const {
    for (int64_t column = 0; column < depth_; column += width) {
      const T* const panel = panels + column * p_.keys + k0 * width;
      for (int64_t row = 0; row < rows; row += panel_rows) {
        const int64_t tile = std::min(panel_rows, rows - row);
        const int64_t seen = visible(q0 + row + tile - 1, k0, count);
        T* const out = to + row * depth_ + column;
        if (k0 == 0)
          panel_rows_product<false, false>(tile, weights + row * key_block, key_block, panel, seen,
                                           out, depth_);
        else if (seen > 0)
          panel_rows_product<false, true>(tile, weights + row * key_block, key_block, panel, seen,
                                          out, depth_);
      }
    }
  }

  static T dot(const T* x, const T* y, int64_t n) {
    constexpr int64_t lanes = hn::MaxLanes(Tag<T>());
    Vector<T> sum = splat<T>(0);
    int64_t i = 0;
    for (; i + lanes <= n; i += lanes) sum = fma(load(x + i), load(y + i), sum);
    T total = fold_lanes(sum, Sum<T>());
    for (; i < n; ++i) total += x[i] * y[i];
    return total;
  }

  // The score of one query and one key where they lie. Scores are computed in one way forwards and
  // backwards: weights of large ones would feel another order of their sums.
  T score(const T* q, const T* k) const { return static_cast<T>(p_.scale) * dot(q, k, p_.depth); }

  const AttentionProblem<T>& p_;
  const int64_t depth_;  // of rows in buffers
  T* memory_ = nullptr;
};

}  // namespace HWY_NAMESPACE
}  // namespace cornu::backend::cpu
HWY_AFTER_NAMESPACE();
#endif
