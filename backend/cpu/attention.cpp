// Attention by blocks of queries and keys, so that scores stay in the cache (Dao et al.,
// "FlashAttention", 2022). Keys, values and, going backwards, queries are packed into panels once.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "../optional_kernels.h"
#include "allocator.h"
#include "convert.h"
#include "kernels.h"
#include "parallel.h"
#include "targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/attention.cpp"
#include <hwy/foreach_target.h>

#include "panel_matmul-inl.h"
#include "row_softmax-inl.h"

#ifndef CORNU_ATTENTION_PROBLEM
#define CORNU_ATTENTION_PROBLEM
namespace cornu::backend::cpu {
namespace {

// Operands in the compute type. Forwards y and logsumexp are written, backwards read.
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

constexpr int64_t query_block = 48;  // a multiple of the rows of every instruction set's tiles
constexpr int64_t key_block = 256;   // a multiple of every panel's width

}  // namespace
}  // namespace cornu::backend::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::cpu {
namespace HWY_NAMESPACE {
namespace {

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

  void apply_mask(int64_t pair, int64_t query, int64_t key, int64_t count, T* s) const {
    const auto& strides = p_.mask_strides;
    const int64_t at = pair / p_.heads * strides[0] + pair % p_.heads * strides[1] +
                       query * strides[2] + key * strides[3];
    const int64_t step = strides[3];
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

  const AttentionProblem<T>& p_;
  const int64_t depth_;  // of rows in buffers
  T* memory_ = nullptr;
};

template <class T>
class AttentionForward : public AttentionPass<T> {
  using AttentionPass<T>::p_;
  using AttentionPass<T>::depth_;

 public:
  using AttentionPass<T>::AttentionPass;

  int64_t memory() const {
    const int64_t keys = round_up(p_.keys, this->width);
    return this->taken(
        {p_.depth * keys, p_.keys * depth_, query_block * key_block, query_block * depth_, depth_});
  }

  /// Items are blocks of queries, all of one pair in a row.
  void run(int64_t begin, int64_t end, T* memory) {
    this->memory_ = memory;
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
        this->apply_mask(pair, q0 + i, k0, seen, s);
        const int64_t tile_end = std::min(rows, i / panel_rows * panel_rows + panel_rows);
        std::fill(s + seen, s + this->visible(q0 + tile_end - 1, k0, count), T(0));
        // Running maximum and sum (Milakov and Gimelshein, https://arxiv.org/abs/1805.02867):
        // scores of a block of keys are used up before the next is computed, so no row of scores is
        // ever whole.
        const T before = most[i], now = Larger<T>()(largest(s, seen), before);
        if (now == nothing<T>) {
          std::fill_n(s, seen, T(0));
          continue;
        }
        if (before != now && k0 > 0) {
          const T shrink = std::exp(before - now);
          // What was summed under the old maximum is rescaled to the new one.
          total[i] *= static_cast<double>(shrink);
          T* const sum = sums_ + i * depth_;
          for (int64_t j = 0; j < depth_; ++j) sum[j] *= shrink;
        }
        most[i] = now;
        // In float64, so that sums over long sequences keep their precision.
        total[i] += exponentials(s, now, s, seen);
      }
      this->weigh(scores_, values_, q0, rows, k0, count, sums_);
    }
    for (int64_t i = 0; i < rows; ++i) {
      T* const y = p_.y + p_.query_offset(pair, q0 + i);
      T& logsumexp = p_.logsumexp[pair * p_.queries + q0 + i];
      if (most[i] == nothing<T>) {
        const T* const mean = mean_of_values(pair);
        std::copy(mean, mean + p_.depth, y);
        logsumexp = nothing<T>;
        continue;
      }
      const T* const sum = sums_ + i * depth_;
      // The division is left to the end: one per query instead of one per weight.
      const T weight = static_cast<T>(1 / total[i]);
      for (int64_t j = 0; j < p_.depth; ++j) y[j] = sum[j] * weight;
      logsumexp = static_cast<T>(static_cast<double>(most[i]) + std::log(total[i]));
    }
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
      if (in_parts) products[i] = dot(p_.y + at + i * step, dy, d);
      if (logsumexp[i] == nothing<T>)
        for (int64_t j = 0; j < d; ++j) unseeing_[j] += dy[j];
    }
    const int64_t keys = p_.causal ? std::min(p_.keys, q0 + rows) : p_.keys;
    for (int64_t k0 = 0; k0 < keys; k0 += key_block) {
      const int64_t count = std::min(key_block, keys - k0);
      this->scores(p_.q + at, keys_turned_, q0, rows, k0, count, weights_);
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

  static T dot(const T* x, const T* y, int64_t n) {
    constexpr int64_t lanes = hn::MaxLanes(Tag<T>());
    Vector<T> sum = splat<T>(0);
    int64_t i = 0;
    for (; i + lanes <= n; i += lanes) sum = fma(load(x + i), load(y + i), sum);
    T total = fold_lanes(sum, Sum<T>());
    for (; i < n; ++i) total += x[i] * y[i];
    return total;
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

template <class T>
void attend(const AttentionProblem<T>& p) {
  // Gradients of keys add up over queries, so that a pair is not split.
  const bool backward = p.dy != nullptr;
  const int64_t blocks = (p.queries + query_block - 1) / query_block;
  const int64_t items = backward ? p.pairs() : p.pairs() * blocks;
  AttentionForward<T> forward(p);
  AttentionBackward<T> back(p);
  const int64_t memory = round_up(backward ? back.memory() : forward.memory(), 16);
  const int64_t work = p.pairs() * p.queries * p.keys * p.depth * (backward ? 1 : 2) / 5;
  // No result depends on the parts; some for each thread, since with a causal mask they differ.
  const int64_t parts = std::min<int64_t>(4 * threads_for(work), items);
  parallel_or_throw(parts, work, [&](int64_t begin, int64_t end) {
    const Scratch scratch(sizeof(T) * static_cast<size_t>(memory));
    T* const own = static_cast<T*>(scratch.data());
    const int64_t from = items * begin / parts, to = items * end / parts;
    if (backward)
      AttentionBackward<T>(p).run(from, to, own);
    else
      AttentionForward<T>(p).run(from, to, own);
  });
}

void attend_float32(const AttentionProblem<float>& p) { attend(p); }
void attend_float64(const AttentionProblem<double>& p) { attend(p); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace cornu::backend::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornu::backend::cpu {
namespace {

HWY_EXPORT(attend_float32);
HWY_EXPORT(attend_float64);

// An operand in the compute type: itself, or a copy; that of an output is stored back at the end.
template <class T>
class InType {
 public:
  static constexpr DType type = sizeof(T) == 8 ? DType::float64 : DType::float32;

  InType(const Operand& operand, bool is_output) : operand_(operand), is_output_(is_output) {
    if (operand.dtype == type) return;
    const int64_t count = operand.shape->numel();
    copy_.emplace(sizeof(T) * static_cast<size_t>(std::max<int64_t>(count, 1)));
    if (!is_output) convert(operand.data, operand.dtype, copy_->data(), type, count);
  }
  InType(const InType&) = delete;
  InType& operator=(const InType&) = delete;
  T* data() const { return static_cast<T*>(copy_ ? copy_->data() : operand_.data); }
  void finish() const {
    if (copy_ && is_output_)
      convert(copy_->data(), type, operand_.data, operand_.dtype, operand_.shape->numel());
  }

 private:
  const Operand& operand_;
  bool is_output_;
  std::optional<Scratch> copy_;
};

std::array<int64_t, 4> broadcast_strides(const Shape& mask) {
  std::array<int64_t, 4> strides{};
  int64_t stride = 1;
  for (int i = mask.rank() - 1; i >= 0; --i) {
    strides[static_cast<size_t>(i + 4 - mask.rank())] = mask[i] == 1 ? 0 : stride;
    stride *= mask[i];
  }
  return strides;
}

template <class T>
void run_as(const Attention& kernel, Operands inputs, Operands outputs,
            void (*attend)(const AttentionProblem<T>&)) {
  const Shape &q = *inputs[0].shape, &k = *inputs[1].shape;
  AttentionProblem<T> p{};
  p.batch = q[0];
  p.queries = q[1];
  p.heads = q[2];
  p.depth = q[3];
  p.keys = k[1];
  p.scale = kernel.scale;
  p.causal = kernel.causal;
  const InType<T> query(inputs[0], false), key(inputs[1], false), value(inputs[2], false);
  p.q = query.data();
  p.k = key.data();
  p.v = value.data();
  std::optional<InType<T>> mask;
  size_t next = 3;
  if (kernel.mask) {
    const Operand& given = inputs[next++];
    p.mask_strides = broadcast_strides(*given.shape);
    if (given.dtype == DType::boolean)
      p.shown = static_cast<const unsigned char*>(given.data);
    else
      p.added = mask.emplace(given, false).data();
  }
  if (!kernel.backward) {
    const InType<T> y(outputs[0], true), logsumexp(outputs[1], true);
    p.y = y.data();
    p.logsumexp = logsumexp.data();
    attend(p);
    y.finish();
    logsumexp.finish();
    return;
  }
  const InType<T> y(inputs[next], false), logsumexp(inputs[next + 1], false);
  const InType<T> dy(inputs[next + 2], false);
  const InType<T> dq(outputs[0], true), dk(outputs[1], true), dv(outputs[2], true);
  p.y = y.data();
  p.logsumexp = logsumexp.data();
  p.dy = dy.data();
  p.dq = dq.data();
  p.dk = dk.data();
  p.dv = dv.data();
  attend(p);
  dq.finish();
  dk.finish();
  dv.finish();
}

void run_attention(const Attention& kernel, Operands inputs, Operands outputs) {
  int64_t written = 0;
  for (const Operand& output : outputs) written += output.shape->numel();
  if (written == 0) return;
  if (inputs[0].dtype == DType::float64)
    run_as<double>(kernel, inputs, outputs, HWY_DYNAMIC_DISPATCH(attend_float64));
  else
    run_as<float>(kernel, inputs, outputs, HWY_DYNAMIC_DISPATCH(attend_float32));
}

}  // namespace
}  // namespace cornu::backend::cpu

void cornu::backend::use_attention_kernel() { cpu::optional_code<Attention> = &cpu::run_attention; }
#endif
