// Attention forwards: blocks of queries, or a few queries of many heads. Included once per target.
#if defined(CORNU_ATTENTION_FORWARD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef CORNU_ATTENTION_FORWARD_INL_H
#undef CORNU_ATTENTION_FORWARD_INL_H
#else
#define CORNU_ATTENTION_FORWARD_INL_H
#endif

#include <cmath>

#include "attention_pass-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::cpu {
namespace HWY_NAMESPACE {

template <class T>
class AttentionForward : public AttentionPass<T> {
  using AttentionPass<T>::p_;
  using AttentionPass<T>::depth_;

 public:
  using AttentionPass<T>::AttentionPass;

  int64_t memory() const {
    if (!packs())
      return this->taken(
          {few_pairs * p_.queries * key_block, few_pairs * p_.queries * depth_, depth_});
    const int64_t keys = round_up(p_.keys, this->width);
    return this->taken(
        {p_.depth * keys, p_.keys * depth_, query_block * key_block, query_block * depth_, depth_});
  }

  /// Items are blocks of queries, all of one pair in a row.
  void run(int64_t begin, int64_t end, T* memory) {
    this->memory_ = memory;
    if (!packs()) return run_few(begin, end);
    keys_ = this->take(p_.depth * round_up(p_.keys, this->width));
    values_ = this->take(p_.keys * depth_);
    scores_ = this->take(query_block * key_block);
    sums_ = this->take(query_block * depth_);
    mean_ = this->take(depth_);
    const int64_t blocks = (p_.queries + query_block - 1) / query_block;
    int64_t packed = -1;
    for (int64_t item = begin; item < end; ++item) {
      const int64_t pair = item / blocks, q0 = item % blocks * query_block;
      if (pair != packed) pack(packed = pair);
      block(pair, q0, std::min(query_block, p_.queries - q0));
    }
  }

 private:
  // Items are pairs, whose queries are one block.
  void run_few(int64_t begin, int64_t end) {
    scores_ = this->take(few_pairs * p_.queries * key_block);
    sums_ = this->take(few_pairs * p_.queries * depth_);
    mean_ = this->take(depth_);
    for (int64_t pair = begin; pair < end;) {
      const int64_t batch_end = (pair / p_.heads + 1) * p_.heads;
      const int64_t count = std::min({few_pairs, batch_end - pair, end - pair});
      few(pair, count);
      pair += count;
    }
  }

  bool packs() const { return p_.queries >= least_packed; }

  void pack(int64_t pair) {
    const int64_t at = p_.key_offset(pair);
    pack_panels_transposed(p_.k + at, p_.step(), p_.depth, p_.keys, static_cast<T>(p_.scale),
                           keys_);
    pack_panels(p_.v + at, p_.step(), p_.keys, p_.depth, T(1), values_);
    mean_known_ = false;
  }

  void block(int64_t pair, int64_t q0, int64_t rows) {
    T most[query_block];
    double total[query_block];
    std::fill_n(most, rows, nothing<T>);
    std::fill_n(total, rows, 0.0);
    const T* const q = p_.q + p_.query_offset(pair, q0);
    // Keys behind the last query of the block are seen by none of them.
    const int64_t keys = p_.causal ? std::min(p_.keys, q0 + rows) : p_.keys;
    for (int64_t k0 = 0; k0 < keys; k0 += key_block) {
      const int64_t count = std::min(key_block, keys - k0);
      this->scores(q, keys_, q0, rows, k0, count, scores_);
      for (int64_t i = 0; i < rows; ++i) {
        T* const s = scores_ + i * key_block;
        const int64_t seen = this->visible(q0 + i, k0, count);
        const int64_t tile_end = std::min(rows, i / panel_rows * panel_rows + panel_rows);
        std::fill(s + seen, s + this->visible(q0 + tile_end - 1, k0, count), T(0));
        take_scores(pair, q0 + i, k0, seen, s, most[i], total[i], sums_ + i * depth_);
      }
      this->weigh(scores_, values_, q0, rows, k0, count, sums_);
    }
    for (int64_t i = 0; i < rows; ++i) finish(pair, q0 + i, most[i], total[i], sums_ + i * depth_);
  }

  // Some pairs of one batch, key after key: in memory a key of all heads is in a row.
  void few(int64_t first, int64_t pairs) {
    const int64_t rows = p_.queries, all = pairs * rows, step = p_.step();
    const int64_t at = p_.key_offset(first);
    T most[few_pairs * least_packed];
    double total[few_pairs * least_packed];
    std::fill_n(most, all, nothing<T>);
    std::fill_n(total, all, 0.0);
    std::fill_n(sums_, all * depth_, T(0));
    const int64_t keys = p_.causal ? std::min(p_.keys, rows) : p_.keys;
    for (int64_t k0 = 0; k0 < keys; k0 += key_block) {
      const int64_t count = std::min(key_block, keys - k0);
      for (int64_t j = 0; j < count; ++j)
        for (int64_t row = 0; row < all; ++row) {
          T& score = scores_[row * key_block + j];
          const int64_t head = row / rows * p_.depth;
          // Of a cache that is not full yet, most may be hidden.
          score = this->hides(first + row / rows, row % rows, k0 + j)
                      ? T(0)
                      : this->score(p_.q + p_.query_offset(first, row % rows) + head,
                                    p_.k + at + (k0 + j) * step + head);
        }
      for (int64_t row = 0; row < all; ++row) {
        T* const s = scores_ + row * key_block;
        const int64_t seen = this->visible(row % rows, k0, count);
        std::fill(s + seen, s + count, T(0));
        take_scores(first + row / rows, row % rows, k0, seen, s, most[row], total[row],
                    sums_ + row * depth_);
      }
      for (int64_t j = 0; j < count; ++j)
        for (int64_t row = 0; row < all; ++row)
          if (const T weight = scores_[row * key_block + j]; weight != 0)
            add_scaled(weight, p_.v + at + (k0 + j) * step + row / rows * p_.depth,
                       sums_ + row * depth_);
    }
    for (int64_t row = 0; row < all; ++row) {
      if (row % rows == 0) mean_known_ = false;
      finish(first + row / rows, row % rows, most[row], total[row], sums_ + row * depth_);
    }
  }

  void add_scaled(T weight, const T* from, T* to) const {
    constexpr int64_t lanes = hn::MaxLanes(Tag<T>());
    const Vector<T> factor = splat<T>(weight);
    int64_t j = 0;
    for (; j + lanes <= p_.depth; j += lanes)
      store(fma(factor, load(from + j), load(to + j)), to + j);
    for (; j < p_.depth; ++j) to[j] += weight * from[j];
  }

  // Turns a query's scores of the keys from k0 on that it sees into weights, and its sum so far to
  // their scale. Running maximum and sum (Milakov and Gimelshein,
  // https://arxiv.org/abs/1805.02867): scores of a block of keys are used up before the next is
  // computed, so no row of scores is ever whole.
  void take_scores(int64_t pair, int64_t query, int64_t k0, int64_t seen, T* s, T& most,
                   double& total, T* sum) const {
    this->apply_mask(pair, query, k0, seen, s);
    const T before = most, now = Larger<T>()(largest(s, seen), before);
    if (now == nothing<T>) {
      std::fill_n(s, seen, T(0));
      return;
    }
    if (before != now && k0 > 0) {
      const T shrink = std::exp(before - now);
      // What was summed under the old maximum is rescaled to the new one.
      total *= static_cast<double>(shrink);
      for (int64_t j = 0; j < depth_; ++j) sum[j] *= shrink;
    }
    most = now;
    // In float64, so that sums over long sequences keep their precision.
    total += exponentials(s, now, s, seen);
  }

  void finish(int64_t pair, int64_t query, T most, double total, const T* sum) {
    T* const y = p_.y + p_.query_offset(pair, query);
    T& logsumexp = p_.logsumexp[pair * p_.queries + query];
    if (most == nothing<T>) {
      const T* const mean = mean_of_values(pair);
      std::copy(mean, mean + p_.depth, y);
      logsumexp = nothing<T>;
      return;
    }
    // The division is left to the end: one per query instead of one per weight.
    const T weight = static_cast<T>(1 / total);
    for (int64_t j = 0; j < p_.depth; ++j) y[j] = sum[j] * weight;
    logsumexp = static_cast<T>(static_cast<double>(most) + std::log(total));
  }

  // What a query gets that sees no key.
  const T* mean_of_values(int64_t pair) {
    if (mean_known_) return mean_;
    mean_known_ = true;
    std::fill(mean_, mean_ + p_.depth, T(0));
    const T* v = p_.v + p_.key_offset(pair);
    for (int64_t i = 0; i < p_.keys; ++i, v += p_.step())
      for (int64_t j = 0; j < p_.depth; ++j) mean_[j] += v[j];
    for (int64_t j = 0; j < p_.depth; ++j) mean_[j] /= static_cast<T>(p_.keys);
    return mean_;
  }

  T *keys_, *values_, *scores_, *sums_, *mean_;
  bool mean_known_ = false;
};

}  // namespace HWY_NAMESPACE
}  // namespace cornu::backend::cpu
HWY_AFTER_NAMESPACE();
#endif
