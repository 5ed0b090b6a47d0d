// The gradients of attention, which compute the weights again. Included once per target.
#if defined(CORNU_ATTENTION_BACKWARD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef CORNU_ATTENTION_BACKWARD_INL_H
#undef CORNU_ATTENTION_BACKWARD_INL_H
#else
#define CORNU_ATTENTION_BACKWARD_INL_H
#endif

#include <cmath>

#include "attention_pass-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::cpu {
namespace HWY_NAMESPACE {

template <class T>
class AttentionBackward : public AttentionPass<T> {
  using AttentionPass<T>::p_;
  using AttentionPass<T>::depth_;

 public:
  using AttentionPass<T>::AttentionPass;

  int64_t memory() const {
    const int64_t turned = p_.depth * round_up(p_.keys, this->width), straight = p_.keys * depth_;
    const int64_t scores = query_block * key_block, rows = query_block * depth_;
    return this->taken(
        {turned, turned, straight, straight, straight, scores, scores, rows, rows, rows, depth_});
  }

  /// Items are pairs.
  void run(int64_t begin, int64_t end, T* memory) {
    this->memory_ = memory;
    const int64_t turned = p_.depth * round_up(p_.keys, this->width), straight = p_.keys * depth_;
    keys_turned_ = this->take(turned);
    values_turned_ = this->take(turned);
    keys_ = this->take(straight);
    dk_ = this->take(straight);
    dv_ = this->take(straight);
    weights_ = this->take(query_block * key_block);
    slopes_ = this->take(query_block * key_block);
    queries_ = this->take(query_block * depth_);
    dy_ = this->take(query_block * depth_);
    dq_ = this->take(query_block * depth_);
    unseeing_ = this->take(depth_);
    for (int64_t pair = begin; pair < end; ++pair) {
      const int64_t at = p_.key_offset(pair), step = p_.step(), d = p_.depth;
      const T scale = static_cast<T>(p_.scale);
      pack_panels_transposed(p_.k + at, step, d, p_.keys, scale, keys_turned_);
      pack_panels_transposed(p_.v + at, step, d, p_.keys, T(1), values_turned_);
      pack_panels(p_.k + at, step, p_.keys, d, scale, keys_);
      std::fill_n(dk_, straight, T(0));
      std::fill_n(dv_, straight, T(0));
      // A query that sees no key got the mean of v, so its dy is shared by all values.
      std::fill_n(unseeing_, depth_, T(0));
      for (int64_t q0 = 0; q0 < p_.queries; q0 += query_block)
        block(pair, q0, std::min(query_block, p_.queries - q0));
      const T weight = T(1) / static_cast<T>(p_.keys);
      for (int64_t i = 0; i < p_.keys; ++i)
        for (int64_t j = 0; j < d; ++j) {
          p_.dk[at + i * step + j] = dk_[i * depth_ + j];
          p_.dv[at + i * step + j] = dv_[i * depth_ + j] + unseeing_[j] * weight;
        }
    }
  }

 private:
  void block(int64_t pair, int64_t q0, int64_t rows) {
    const int64_t at = p_.query_offset(pair, q0), step = p_.step(), d = p_.depth;
    pack_panels(p_.q + at, step, rows, d, static_cast<T>(p_.scale), queries_);
    pack_panels(p_.dy + at, step, rows, d, T(1), dy_);
    // Of y and dy: the sums of each row's weights times their gradients, where a row is in parts.
    T products[query_block];
    const bool in_parts = p_.keys > key_block;
    const T* const logsumexp = p_.logsumexp + pair * p_.queries + q0;
    for (int64_t i = 0; i < rows; ++i) {
      const T* const dy = p_.dy + at + i * step;
      // sum(w * dw) over all keys equals y . dy, which is known before the first block of keys.
      if (in_parts) products[i] = this->dot(p_.y + at + i * step, dy, d);
      if (logsumexp[i] == nothing<T>)
        for (int64_t j = 0; j < d; ++j) unseeing_[j] += dy[j];
    }
    const int64_t keys = p_.causal ? std::min(p_.keys, q0 + rows) : p_.keys;
    for (int64_t k0 = 0; k0 < keys; k0 += key_block) {
      const int64_t count = std::min(key_block, keys - k0);
      if (p_.queries < least_packed) {
        const T* const k = p_.k + p_.key_offset(pair) + k0 * step;
        for (int64_t i = 0; i < rows; ++i)
          for (int64_t j = 0; j < count; ++j)
            weights_[i * key_block + j] = this->score(p_.q + at + i * step, k + j * step);
      } else {
        this->scores(p_.q + at, keys_turned_, q0, rows, k0, count, weights_);
      }
      this->scores(p_.dy + at, values_turned_, q0, rows, k0, count, slopes_);
      for (int64_t i = 0; i < rows; ++i) {
        T *const w = weights_ + i * key_block, *const s = slopes_ + i * key_block;
        // The forward pass has marked rows that see nothing.
        const bool sees = logsumexp[i] != nothing<T>;
        const int64_t seen = sees ? this->visible(q0 + i, k0, count) : 0;
        if (sees) {
          this->apply_mask(pair, q0 + i, k0, seen, w);
          if (in_parts)
            softmax_slopes(w, s, seen, logsumexp[i], products[i]);
          else
            softmax_slopes(w, s, seen, logsumexp[i]);
        }
        std::fill(w + seen, w + count, T(0));
        std::fill(s + seen, s + count, T(0));
      }
      this->weigh(slopes_, keys_, q0, rows, k0, count, dq_);
      collect(weights_, dy_, q0, rows, k0, count, dv_);
      collect(slopes_, queries_, q0, rows, k0, count, dk_);
    }
    for (int64_t i = 0; i < rows; ++i)
      std::copy(dq_ + i * depth_, dq_ + i * depth_ + d, p_.dq + at + i * step);
  }

  // to (keys, depth), from k0 on, += weights^T x panels of (rows, depth)
  void collect(const T* weights, const T* panels, int64_t q0, int64_t rows, int64_t k0,
               int64_t count, T* to) const {
    for (int64_t column = 0; column < depth_; column += this->width)
      for (int64_t key = 0; key < count; key += panel_rows) {
        // Queries before the first key of the tile see none of it.
        const int64_t first = p_.causal ? std::max<int64_t>(k0 + key - q0, 0) : 0;
        if (first >= rows) break;
        panel_rows_product<true, true>(std::min(panel_rows, count - key),
                                       weights + first * key_block + key, key_block,
                                       panels + column * rows + first * this->width, rows - first,
                                       to + (k0 + key) * depth_ + column, depth_);
      }
  }

  T *keys_turned_, *values_turned_, *keys_, *dk_, *dv_, *weights_, *slopes_, *queries_, *dy_, *dq_,
      *unseeing_;
};

}  // namespace HWY_NAMESPACE
}  // namespace cornu::backend::cpu
HWY_AFTER_NAMESPACE();
#endif
