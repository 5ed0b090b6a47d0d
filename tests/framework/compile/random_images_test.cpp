// Random programs of images: convolutions with all kinds of work between them, whose activations
// plans keep in blocks of channels where they can. Compiled, they compute what they compute
// eagerly, with their gradients.
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/compile/control_flow.h>
#include <cornu/framework/compile/function.h>
#include <cornu/framework/ops/ops.h>

#include <cmath>
#include <random>

#include "catch.h"
#include "support/gradient_check.h"

namespace random_images_test {

using namespace cornu;
using cornu::test::noise;

namespace {

Tensor numbers(const Shape& shape, uint64_t seed) {
  return ops::cast(noise(shape, -1, 1, static_cast<int>(seed % 10007)), DType::float32);
}

// Draws the layers of one network; a network of one seed is the same in each call.
class Draws {
 public:
  explicit Draws(uint64_t seed) : engine_(seed), seed_(seed) {}
  int64_t below(int64_t n) { return static_cast<int64_t>(engine_() % static_cast<uint64_t>(n)); }
  bool maybe() { return below(2) == 0; }
  // The same numbers for the same place of the network.
  Tensor weights(const Shape& shape) {
    return numbers(shape, seed_ * 131 + static_cast<uint64_t>(++weights_));
  }

 private:
  std::mt19937_64 engine_;
  uint64_t seed_;
  int64_t weights_ = 0;
};

// Keeps numbers of a size that can be compared.
Tensor tame(const Tensor& x) { return ops::tanh(x * 0.5); }

Tensor convolved(Draws& draw, const Tensor& x, int64_t channels) {
  const int spatial = x.rank() - 2;
  Shape kernel;
  const int64_t size = 1 + 2 * draw.below(2);
  for (int i = 0; i < spatial; ++i) kernel.push_back(size);
  kernel.push_back(x.shape(-1));
  kernel.push_back(channels);
  const int64_t stride = x.shape(1) > 5 && draw.below(4) == 0 ? 2 : 1;
  Tensor y = ops::conv(x, draw.weights(kernel) * 0.2, {stride}, "same");
  if (draw.maybe()) y = y + draw.weights({channels});
  switch (draw.below(4)) {
    case 0:
      return ops::relu(y);
    case 1:
      return ops::leaky_relu(y, 0.1);
    case 2:
      return ops::silu(y);
    default:
      return y;
  }
}

Tensor normalized(Draws& draw, const Tensor& x) {
  const int64_t channels = x.shape(-1);
  std::vector<int64_t> axes;
  for (int i = 0; i + 1 < x.rank(); ++i) axes.push_back(i);
  const auto [mean, variance] = ops::moments(x, axes);
  return ops::batch_normalization(x, mean, variance, -1, draw.weights({channels}),
                                  draw.weights({channels}) + 1.5);
}

// One change of an image of (n, spatial..., c).
Tensor change(Draws& draw, const Tensor& x, const std::vector<Tensor>& before) {
  const int rank = x.rank();
  const int64_t channels = x.shape(-1), rows = x.shape(1);
  switch (draw.below(24)) {
    case 0:
      return ops::max_pool(x, {2}, {}, "same");
    case 1:
      return ops::average_pool(x, {2}, {1}, "same");
    case 2:
      return normalized(draw, x);
    case 3: {  // squeeze and excite
      std::vector<int64_t> axes;
      for (int i = 1; i + 1 < rank; ++i) axes.push_back(i);
      return x * ops::sigmoid(ops::mean(x, axes, true));
    }
    case 4:
      return x * ops::mean(x, -1, true);
    case 5:
      return x - ops::mean(x, 0, true);
    case 6: {
      std::vector<std::vector<int64_t>> width(static_cast<size_t>(rank), {0, 0});
      width[1] = {draw.below(3), draw.below(3)};
      return ops::pad(x, width);
    }
    case 7:
      return rows > 3 ? x[{Slice(), Slice(1, rows - 1)}] : x;
    case 8:
      return ops::flip(x, static_cast<int>(draw.below(rank)));
    case 9:
      return ops::concatenate({x, tame(x)}, 1)[{Slice(), Slice(0, rows)}];
    case 10:
      return ops::concatenate({x[{Ellipsis(), Slice(0, channels / 2)}],
                               x[{Ellipsis(), Slice(channels / 2, channels)}] * 0.5},
                              -1);
    case 11:
      return ops::concatenate({x, x * 0.25}, 0)[{Slice(1, x.shape(0) + 1)}];
    case 12:
      return ops::softmax(x, -1);
    case 13:
      return x + draw.weights({channels});
    case 14: {
      Shape one_each = x.shape();
      one_each[0] = 1;
      one_each[rank - 1] = 1;
      return x * draw.weights(one_each);
    }
    case 15:
      return x + draw.weights(x.shape());
    case 16:
      return ops::where(x > 0.0, x, x * 0.3);
    case 17:
      for (const Tensor& other : before)
        if (other.shape() == x.shape()) return x + other;
      return x;
    case 18:
      for (const Tensor& other : before)
        if (other.shape() == x.shape()) return ops::maximum(x, other * 0.5);
      return x;
    case 19:
      return ops::roll(x, 1 + draw.below(3), draw.below(rank));
    case 20:
      return ops::reshape(ops::reshape(x, {x.shape(0), -1, channels}) * 0.7, x.shape());
    case 21:
      return ops::repeat(x, 2, 1);
    case 22: {
      std::vector<int64_t> order(static_cast<size_t>(rank));
      for (int i = 0; i < rank; ++i) order[static_cast<size_t>(i)] = i;
      if (rank > 3) std::swap(order[1], order[2]);
      return ops::transpose(x, order);
    }
    default:
      return ops::layer_normalization(x, draw.weights({channels}));
  }
}

struct Network {
  uint64_t seed;
  int rank;
  int64_t channels;

  Tensor operator()(const Tensor& x) const {
    Draws draw(seed);
    Tensor y = convolved(draw, x, channels);
    std::vector<Tensor> before = {y};
    for (int64_t i = 2 + draw.below(4); i > 0; --i) {
      for (int64_t k = draw.below(4); k > 0; --k) {
        before.push_back(y);
        y = change(draw, y, before);
        if (y.size() > 20000) y = y[{Slice(), Slice(0, 4)}];
      }
      y = tame(convolved(draw, y, draw.below(5) == 0 ? channels + 3 : channels));
    }
    switch (draw.below(5)) {
      case 0:
        return ops::mean(y, -1);
      case 1:
        return ops::max(y, 1);
      case 2:
        return ops::sum(y, 0) * 0.1;
      case 3:
        return y[{Ellipsis(), Slice(0, 5)}];
      default:
        return y;
    }
  }
};

std::string difference(const Tensor& got, const Tensor& want) {
  if (got.spec().str() != want.spec().str()) return got.spec().str() + " for " + want.spec().str();
  double largest = 1;
  const auto a = got.to_vector<double>(), b = want.to_vector<double>();
  for (const double v : b) largest = std::max(largest, std::abs(v));
  for (size_t k = 0; k < a.size(); ++k)
    if (!(std::abs(a[k] - b[k]) <= 3e-4 * largest))
      return "element " + std::to_string(k) + " is " + std::to_string(a[k]) + " for " +
             std::to_string(b[k]);
  return "";
}

void check(const Network& network, const Shape& shape) {
  const auto body = [&](const Tensor& x) -> Nest {
    GradientTape tape;
    tape.watch(x);
    const Tensor y = network(x);
    const Tensor g = tape.gradient(ops::mean(y * y), x);
    return Nest(std::vector<Tensor>{y, g ? g : ops::zeros_like(x)});
  };
  auto forward = function([&](const Tensor& x) -> Tensor { return network(x); });
  auto both = function([&](const Tensor& x) -> Nest { return body(x); });
  for (uint64_t call = 0; call < 4; ++call) {
    INFO("call " << call);
    const Tensor x = numbers(shape, 7000 + call);
    const std::vector<Tensor> want = body(x).flatten(), got = both(x).flatten();
    for (const std::string& found : {difference(forward(x), want[0]), difference(got[0], want[0]),
                                     difference(got[1], want[1])}) {
      INFO(found);
      CHECK(found.empty());
    }
  }
  CHECK(forward->report().replays == 2);
}

}  // namespace

TEST_CASE("random networks of images compute the same compiled as eagerly") {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    INFO("network " << seed);
    check({seed, 4, seed % 3 == 0 ? 32 : 16}, {2, 6, 5, seed % 2 ? 3 : 16});
  }
}

TEST_CASE("random networks of signals and volumes compute the same compiled as eagerly") {
  for (uint64_t seed = 100; seed < 130; ++seed) {
    INFO("network " << seed);
    if (seed % 2)
      check({seed, 3, 16}, {3, 8, 16});
    else
      check({seed, 5, 16}, {2, 4, 3, 3, 16});
  }
}

}  // namespace random_images_test
