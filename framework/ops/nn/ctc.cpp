// The loss by the forward recursion over time, in logarithms; decoding greedily or by a beam search
// on the host.
#include "ctc.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "../../tensor/promotion.h"
#include "../catalog.h"
#include "../core/cast.h"
#include "../elementwise.h"
#include "../numpy/complex.h"
#include "../numpy/creation.h"
#include "../numpy/indexing.h"
#include "../numpy/joining.h"
#include "../numpy/manipulation.h"
#include "../numpy/products.h"
#include "../numpy/reduction.h"
#include "../numpy/sorting.h"
#include "../operators.h"
#include "one_hot.h"
#include "softmax.h"

namespace cornu::ops {
namespace {

// The logarithm of an impossible path; not infinite, so that differences stay numbers.
constexpr double impossible = -1e5;

Tensor log_add(const Tensor& a, const Tensor& b) {
  return fused(
      [](Expr a, Expr b) { return expr::maximum(a, b) + expr::softplus(-expr::absolute(a - b)); },
      a, b);
}

// phi[:, 1:] with `added` added in logarithms.
Tensor add_to_blank(const Tensor& phi, const Tensor& added) {
  const Value rest = Value::List{Slice{}, Slice{1, {}}}, first = Value::List{Slice{}, Slice{0, 1}};
  return concatenate({get_item(phi, first), log_add(get_item(phi, rest), added)}, -1);
}

Tensor step(const Tensor& x, int64_t t) { return get_item(x, Value::List{Slice{}, t}); }

Tensor loss_of(const Tensor& labels, const Tensor& logits, const Tensor& label_lengths,
               const Tensor& lengths, int64_t blank) {
  if (labels.rank() != 2 || logits.rank() != 3 || labels.shape()[0] != logits.shape()[0])
    throw ShapeError(
        fmt::format("ctc_loss: expected target (batch, labels) and output (batch, time, classes), "
                    "found {} and {}.",
                    labels.shape().str(), logits.shape().str()));
  const DType dtype = result_type(logits.dtype(), DType::float32);
  const Tensor target = cast(labels, DType::int32), wide = cast(logits, dtype);
  const int64_t batch = labels.shape()[0], n = labels.shape()[1];
  const int64_t steps = logits.shape()[1], classes = logits.shape()[2];
  if (steps < 1 || n < 1) throw ShapeError("ctc_loss: at least one step and one label are needed.");
  const Tensor logp = log_softmax(wide);
  // Whether the next label is the same: then a blank must come between.
  const Tensor same = cast(equal(get_item(target, Value::List{Slice{}, Slice{{}, -1}}),
                                 get_item(target, Value::List{Slice{}, Slice{1, {}}})),
                           dtype);
  const Tensor repeats = pad(same, {{0, 0}, {0, 1}});
  const Tensor blocked = repeats * impossible, free = (1.0 - repeats) * impossible;
  const Tensor blank_logp =
      take(logp, Tensor(std::vector<int32_t>{static_cast<int32_t>(blank)}), 2);
  const Tensor label_logp =
      matmul_transposed(logp, one_hot(target, classes, -1, dtype), false, true);
  const Tensor real = less(arange(0, steps), expand_dims(cast(lengths, DType::int32), {1}));

  Tensor phi = concatenate({zeros({batch, 1}, dtype), full({batch, n}, impossible, dtype)}, 1);
  Tensor emit = full({batch, n}, impossible, dtype);
  Tensor last_phi = phi, last_emit = emit;
  for (int64_t t = 0; t < steps; ++t) {
    const Tensor label = step(label_logp, t), silent = step(blank_logp, t);
    const Tensor begun = add_to_blank(phi, emit + blocked);
    const Tensor started = get_item(begun, Value::List{Slice{}, Slice{{}, -1}});
    const Tensor next_emit = log_add(started + label, emit + label);
    const Tensor next_phi = add_to_blank(begun + silent, emit + silent + free);
    const Tensor running = expand_dims(step(real, t), {1});
    emit = where(running, next_emit, emit);
    phi = where(running, next_phi, phi);
  }
  last_phi = add_to_blank(phi, emit);
  const Tensor ends = one_hot(minimum(cast(label_lengths, DType::int32), n), n + 1, -1, dtype);
  return -sum(last_phi * ends, -1);
}

std::vector<Tensor> decode_greedily(const Tensor& inputs, const Tensor& lengths, bool merge,
                                    int64_t blank) {
  const int64_t steps = inputs.shape()[1];
  const Tensor over =
      greater_equal(arange(0, steps), expand_dims(cast(lengths, DType::int32), {1}));
  const Tensor none(std::vector<int32_t>{static_cast<int32_t>(blank)});
  Tensor labels = where(over, none, argmax(inputs, -1));
  const Tensor best = max(inputs, -1);
  const Tensor scores = where(over, zeros_like(best), best);
  if (merge && steps > 1) {
    const Tensor repeated = equal(get_item(labels, Value::List{Slice{}, Slice{1, {}}}),
                                  get_item(labels, Value::List{Slice{}, Slice{{}, -1}}));
    const Tensor mask = concatenate({zeros({labels.shape()[0], 1}, DType::boolean), repeated}, 1);
    labels = where(mask, none, labels);
  }
  const Tensor silent = equal(labels, none);
  const Tensor marked = where(silent, Tensor(std::vector<int32_t>{-1}), labels);
  // Sorting by whether a step is silent keeps the order of the others.
  const Tensor order = argsort(cast(silent, DType::int32), -1);
  return {expand_dims(take_along_axis(marked, order, -1), {0}), expand_dims(-sum(scores, 1), {1})};
}

struct Beam {
  double emitted = -std::numeric_limits<double>::infinity();  // the last step was the last label
  double silent = -std::numeric_limits<double>::infinity();   // the last step was a blank
};

double log_add(double a, double b) {
  const double top = std::max(a, b);
  return std::isinf(top) ? top : top + std::log1p(std::exp(-std::abs(a - b)));
}

using Path = std::vector<int>;
using Beams = std::map<Path, Beam>;

// The `width` best, later paths before earlier ones where scores are equal.
std::vector<std::pair<double, Path>> best_of(const Beams& beams, int64_t width) {
  std::vector<std::pair<double, Path>> ranked;
  for (const auto& [path, beam] : beams)
    ranked.emplace_back(log_add(beam.emitted, beam.silent), path);
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  if (static_cast<int64_t>(ranked.size()) > width)
    ranked.erase(ranked.begin(), ranked.end() - width);
  std::reverse(ranked.begin(), ranked.end());
  return ranked;
}

// One sequence. Classes are numbered backwards, so that equal scores are ordered as in Keras.
std::vector<std::pair<double, Path>> search(const float* logp, int64_t steps, int classes,
                                            int blank, int64_t width, int64_t top) {
  const auto score = [&](int64_t t, int c) {
    return static_cast<double>(logp[t * classes + classes - 1 - c]);
  };
  Beams beams;
  for (int c = 0; c < classes; ++c) {
    Beam& beam = beams[c == blank ? Path{} : Path{c}];
    (c == blank ? beam.silent : beam.emitted) = score(0, c);
  }
  for (int64_t t = 0;;) {
    const auto kept = best_of(beams, width);
    Beams pruned;
    for (const auto& [s, path] : kept) pruned[path] = beams[path];
    beams = std::move(pruned);
    if (++t >= steps) break;
    Beams next;
    for (const auto& [path, beam] : beams) {
      const double any = log_add(beam.emitted, beam.silent);
      for (int c = 0; c < classes; ++c) {
        if (c == blank) {
          Beam& same = next[path];
          same.silent = log_add(same.silent, any + score(t, c));
          continue;
        }
        const bool repeat = !path.empty() && path.back() == c;
        if (repeat) {
          Beam& same = next[path];
          same.emitted = log_add(same.emitted, beam.emitted + score(t, c));
        }
        Path longer = path;
        longer.push_back(c);
        Beam& extended = next[longer];
        extended.emitted = log_add(extended.emitted, (repeat ? beam.silent : any) + score(t, c));
      }
    }
    beams = std::move(next);
  }
  return best_of(beams, top);
}

std::vector<Tensor> decode_by_beams(const Tensor& inputs, const Tensor& lengths, int64_t width,
                                    int64_t top, int64_t blank) {
  const Shape& s = inputs.shape();
  const int64_t batch = s[0], steps = s[1], classes = s[2];
  const Tensor given[] = {cast(log_softmax(inputs), DType::float32), cast(lengths, DType::int32)};
  const TensorSpec outputs[] = {{{top, batch, steps}, DType::int32},
                                {{batch, top}, DType::float32}};
  const Tensors results = apply_host(
      [=](std::span<const Tensor> in, std::span<const Tensor> out) {
        const auto* logp = static_cast<const float*>(in[0].data());
        const auto* length = static_cast<const int32_t*>(in[1].data());
        auto* paths = out[0].mutable_data<int32_t>();
        auto* scores = out[1].mutable_data<float>();
        std::fill(paths, paths + top * batch * steps, -1);
        std::fill(scores, scores + batch * top, -std::numeric_limits<float>::infinity());
        for (int64_t b = 0; b < batch; ++b) {
          const auto found =
              search(logp + b * steps * classes, std::clamp<int64_t>(length[b], 1, steps),
                     static_cast<int>(classes), static_cast<int>(classes - 1 - blank), width, top);
          for (size_t k = 0; k < found.size(); ++k) {
            scores[b * top + static_cast<int64_t>(k)] = static_cast<float>(found[k].first);
            int32_t* path = paths + (static_cast<int64_t>(k) * batch + b) * steps;
            for (size_t i = 0; i < found[k].second.size(); ++i)
              path[i] = static_cast<int32_t>(classes - 1 - found[k].second[i]);
          }
        }
      },
      given, outputs, "ctc_decode");
  return {results[0], results[1]};
}

}  // namespace

Tensor ctc_loss(const Tensor& target, const Tensor& output, const Tensor& target_length,
                const Tensor& output_length, int64_t mask_index) {
  if (is_symbolic(target, output, target_length, output_length))
    return symbolic_call(&ctc_loss, target, output, target_length, output_length, mask_index);
  return loss_of(target, output, target_length, output_length, mask_index);
}

TensorTuple<2> ctc_decode(const Tensor& inputs, const Tensor& lengths, const std::string& strategy,
                          int64_t beam_width, int64_t top_paths, bool merge_repeated,
                          std::optional<int64_t> mask_index) {
  if (is_symbolic(inputs, lengths))
    return symbolic_call(&ctc_decode, inputs, lengths, strategy, beam_width, top_paths,
                         merge_repeated, mask_index);
  if (inputs.rank() != 3 || inputs.shape()[1] < 1)
    throw ShapeError(fmt::format("ctc_decode: expected inputs (batch, time, classes), found {}.",
                                 inputs.shape().str()));
  const Tensor x = cast(inputs, result_type(inputs.dtype(), DType::float32));
  const int64_t blank = mask_index.value_or(inputs.shape()[2] - 1);
  if (strategy == "greedy") return decode_greedily(x, lengths, merge_repeated, blank);
  if (strategy != "beam_search")
    throw ValueError(fmt::format(
        "ctc_decode: strategy must be \"greedy\" or \"beam_search\", found \"{}\".", strategy));
  return decode_by_beams(x, lengths, beam_width, top_paths, blank);
}

void list_nn_ctc(OpCatalog& catalog) {
  catalog.add("nn.CTCLoss", {"target", "output", "target_length", "output_length", "mask_index=0"},
              &ctc_loss);
  catalog.add("nn.CTCDecode",
              {"inputs", "sequence_lengths", "strategy='greedy'", "beam_width=100", "top_paths=1",
               "merge_repeated=True", "mask_index=0"},
              &ctc_decode);
}

}  // namespace cornu::ops
