// Shapes of graphs whose inputs have axes of unknown size: an axis of a result is unknown just when
// its size depends on an unknown one, and the graph computes what the operations compute.
#include <cornu/cornu.h>

#include "../../support/all_close.h"
#include "../../support/contract.h"
#include "../../support/gradient_check.h"

namespace unknown_sizes_test {

using namespace cornu;
using test::error_of;
using test::has;

namespace {

constexpr int64_t N = Shape::unknown;
using In = const std::vector<Tensor>&;

struct Case {
  const char* what;
  std::vector<Shape> inputs;
  std::function<Tensor(const std::vector<Tensor>&)> f;
};

// A layer of a user's: what it computes is seen by its results alone.
class OfFunction : public Layer {
 public:
  explicit OfFunction(std::function<Tensor(const Tensor&)> f) : f_(std::move(f)) {}
  Tensor call(const Tensor& x, const Call&) override { return f_(x); }

 private:
  std::function<Tensor(const Tensor&)> f_;
};

std::function<Tensor(const std::vector<Tensor>&)> in_layer(
    const std::function<Tensor(const Tensor&)>& f) {
  return [f](const std::vector<Tensor>& t) -> Tensor { return make<OfFunction>(f)(t[0]); };
}

const std::vector<Case> cases = {
    {"add", {{N, 3}, {N, 3}}, [](In t) { return t[0] + t[1]; }},
    {"bcast", {{N, 1}, {1, N}}, [](In t) { return t[0] * t[1]; }},
    {"concat0",
     {{N, 3}, {N, 3}},
     [](In t) {
       return ops::concatenate({t[0], t[1]}, 0);
     }},
    {"concat1",
     {{N, 3}, {N, 2}},
     [](In t) {
       return ops::concatenate({t[0], t[1]}, 1);
     }},
    {"concat unknown",
     {{2, N}, {2, N}},
     [](In t) {
       return ops::concatenate({t[0], t[1]}, 1);
     }},
    {"reshape -1",
     {{N, 4, 6}},
     [](In t) {
       return ops::reshape(t[0], {-1, 24});
     }},
    {"reshape merges",
     {{N, 4, 6}},
     [](In t) {
       return ops::reshape(t[0], {-1, 3});
     }},
    {"reshape merges N",
     {{N, N, 6}},
     [](In t) {
       return ops::reshape(t[0], {-1, 6});
     }},
    {"transpose", {{N, 4, 6}}, [](In t) { return ops::transpose(t[0]); }},
    {"matmul", {{N, 4, 6}, {N, 6, 2}}, [](In t) { return ops::matmul(t[0], t[1]); }},
    {"matmul NN", {{2, N, 6}, {2, 6, N}}, [](In t) { return ops::matmul(t[0], t[1]); }},
    {"outer", {{N}, {N}}, [](In t) { return ops::outer(t[0], t[1]); }},
    {"pool", {{N, N, N, 3}}, [](In t) { return ops::max_pool(t[0], {2}); }},
    {"pool same", {{N, N, N, 3}}, [](In t) { return ops::max_pool(t[0], {3}, {2}, "same"); }},
    {"conv",
     {{N, N, N, 3}},
     [](In t) {
       return ops::conv(t[0], ops::ones({3, 3, 3, 4}), {2});
     }},
    {"conv same",
     {{N, N, 7, 3}},
     [](In t) {
       return ops::conv(t[0], ops::ones({3, 3, 3, 4}), {2}, "same");
     }},
    {"pad",
     {{N, N}},
     [](In t) {
       return ops::pad(t[0], {{1, 2}, {0, 3}});
     }},
    {"slice",
     {{N, N}},
     [](In t) {
       return t[0][{Slice(1, {}), Slice({}, -1)}];
     }},
    {"slice step",
     {{N, N}},
     [](In t) {
       return t[0][{Slice({}, {}, 2), Slice(0, 4)}];
     }},
    {"repeat", {{N, 3}}, [](In t) { return ops::repeat(t[0], 3, 0); }},
    {"tile",
     {{N, 3}},
     [](In t) {
       return ops::tile(t[0], {2, 1});
     }},
    {"flatten", {{N, N}}, [](In t) { return ops::ravel(t[0]); }},
    {"split", {{N, 6}}, [](In t) { return ops::split(t[0], 3, 1)[1]; }},
    {"expand", {{N, N}}, [](In t) { return ops::expand_dims(t[0], {1}); }},
    {"squeeze", {{N, 1, N}}, [](In t) { return ops::squeeze(t[0], 1); }},
    {"sum", {{N, N, 3}}, [](In t) { return ops::sum(t[0], 1); }},
    {"argmax", {{N, N, 3}}, [](In t) { return ops::argmax(t[0], 1); }},
    {"sort", {{N, N}}, [](In t) { return ops::sort(t[0]); }},
    {"top_k", {{N, N}}, [](In t) { return ops::top_k(t[0], 3)[0]; }},
    {"one_hot", {{N, N}}, [](In t) { return ops::one_hot(ops::cast(t[0], DType::int32), 5); }},
    {"take", {{N, 5}, {N}}, [](In t) { return ops::take(t[0], ops::cast(t[1], DType::int32), 1); }},
    {"einsum",
     {{N, N, 3}, {3, 4}},
     [](In t) {
       return ops::einsum("abc,cd->abd", {t[0], t[1]});
     }},
    {"einsum ell",
     {{N, N, 3}, {3, 4}},
     [](In t) {
       return ops::einsum("...c,cd->...d", {t[0], t[1]});
     }},
    {"tensordot", {{N, 3}, {3, N}}, [](In t) { return ops::tensordot(t[0], t[1], 1); }},
    {"dot", {{N, 3}, {3}}, [](In t) { return ops::dot(t[0], t[1]); }},
    {"stack",
     {{N, 3}, {N, 3}},
     [](In t) {
       return ops::stack({t[0], t[1]}, 1);
     }},
    {"meshgrid",
     {{N}, {N}},
     [](In t) {
       return ops::meshgrid({t[0], t[1]})[0];
     }},
    {"diag", {{N, N}}, [](In t) { return ops::diagonal(t[0]); }},
    {"diff", {{N, N}}, [](In t) { return ops::diff(t[0]); }},
    {"cumsum", {{N, N}}, [](In t) { return ops::cumsum(t[0]); }},
    {"cumsum1", {{N, N}}, [](In t) { return ops::cumsum(t[0], 1); }},
    {"resize",
     {{N, N, N, 3}},
     [](In t) {
       return ops::resize(t[0], {5, 7});
     }},
    {"segment",
     {{N, 3}, {N}},
     [](const std::vector<Tensor>& t) -> Tensor {
       return ops::segment_sum(t[0], ops::cast(t[1], DType::int32), 4);
     }},
    {"attention",
     {{N, N, 2, 4}, {N, N, 2, 4}},
     [](const std::vector<Tensor>& t) -> Tensor {
       return ops::dot_product_attention(t[0], t[1], t[1]);
     }},
    {"extract", {{N, N}}, [](In t) { return ops::extract_sequences(t[0], 4, 2); }},
    {"rfft", {{N, N}}, [](In t) { return ops::rfft(t[0])[0]; }},
    {"kron", {{N, 2}, {3, N}}, [](In t) { return ops::kron(t[0], t[1]); }},
    {"unfold",
     {{N, N, N, 3}},
     [](In t) {
       return ops::extract_patches(t[0], {2, 2});
     }},
    {"cdist", {{N, 3}, {N, 3}}, [](In t) { return ops::cdist(t[0], t[1]); }},
    {"roll", {{N, N}}, [](In t) { return ops::roll(t[0], 2, 1); }},
    {"swapaxes", {{N, 3, N}}, [](In t) { return ops::swapaxes(t[0], 0, 1); }},
    {"depth",
     {{N, N, N, 3}},
     [](const std::vector<Tensor>& t) -> Tensor {
       return ops::depthwise_conv(t[0], ops::ones({3, 3, 3, 2}), {1}, "same");
     }},
    {"convT",
     {{N, N, N, 3}},
     [](const std::vector<Tensor>& t) -> Tensor {
       return ops::conv_transpose(t[0], ops::ones({3, 3, 4, 3}), {2}, "same");
     }},
    {"convT valid",
     {{N, N, N, 3}},
     [](const std::vector<Tensor>& t) -> Tensor {
       return ops::conv_transpose(t[0], ops::ones({3, 3, 4, 3}), {2}, "valid");
     }},
    {"avg adaptive",
     {{N, N, N, 3}},
     [](const std::vector<Tensor>& t) -> Tensor {
       return ops::adaptive_average_pool(t[0], {2, 3});
     }},
    {"logsumexp", {{N, N}}, [](In t) { return ops::logsumexp(t[0], 1, true); }},
    {"quantile",
     {{N, N}},
     [](const std::vector<Tensor>& t) -> Tensor {
       return ops::quantile(t[0], Tensor(std::vector<float>{0.2f, 0.5f}), 1);
     }},
    {"median", {{N, N}}, [](In t) { return ops::median(t[0], 0); }},
    {"flip", {{N, N}}, [](In t) { return ops::flip(t[0], 1); }},
    {"moveaxis", {{N, N, 3}}, [](In t) { return ops::moveaxis(t[0], 0, -1); }},
    {"zeros_like", {{N, N, 3}}, [](In t) { return ops::zeros_like(t[0]); }},
    {"scan of an unknown number", {{N, N, 3}}, in_layer([](const Tensor& x) -> Tensor {
       const auto f = [](const Nest& carry, const Nest& x) {
         return ops::Scanned{Nest(carry.tensor() + ops::sum(x.tensor())), x};
       };
       return ops::scan(f, ops::zeros({}), x).ys.tensor();
     })},
    {"the state of a scan", {{N, 5, 3}}, in_layer([](const Tensor& x) -> Tensor {
       const auto f = [](const Nest& carry, const Nest& x) {
         return ops::Scanned{Nest(ops::tanh(carry.tensor() + x.tensor())), {}};
       };
       return ops::scan(f, ops::zeros_like(x[{Slice(), 0}]), ops::swapaxes(x, 0, 1)).carry.tensor();
     })},
    {"map", {{N, N, 3}}, in_layer([](const Tensor& x) -> Tensor {
       return ops::map([](const Nest& x) { return Nest(ops::sum(x.tensor(), 0)); }, x).tensor();
     })},
    {"vectorized_map", {{N, N, 3}}, in_layer([](const Tensor& x) -> Tensor {
       const auto f = [](const Nest& x) { return Nest(ops::sum(x.tensor(), 0)); };
       return ops::vectorized_map(f, x).tensor();
     })},
    {"fori_loop", {{N, 3}}, in_layer([](const Tensor& x) -> Tensor {
       const auto f = [](const Tensor&, const Nest& x) { return Nest(x.tensor() * 2.0); };
       return ops::fori_loop(0, 3, f, x).tensor();
     })},
    {"associative_scan", {{N, 3}}, in_layer([](const Tensor& x) -> Tensor {
       const auto f = [](const Nest& a, const Nest& b) { return Nest(a.tensor() + b.tensor()); };
       return ops::associative_scan(f, x).tensor();
     })},
    {"cond", {{N, 3}}, in_layer([](const Tensor& x) -> Tensor {
       return ops::cond(
                  ops::sum(x) > 0.0, [&] { return Nest(x * 2.0); }, [&] { return Nest(-x); })
           .tensor();
     })},
    {"while_loop", {{N, 3}}, in_layer([](const Tensor& x) -> Tensor {
       const auto small = [](const Nest& s) { return ops::max(s.tensor()) < 9.0; };
       const auto grow = [](const Nest& s) { return Nest(s.tensor() * 2.0 + 0.1); };
       return ops::while_loop(small, grow, x).tensor();
     })},
    {"a result of the batch's size", {{N, 3}}, in_layer([](const Tensor& x) -> Tensor {
       return ops::broadcast_to(ops::ones({1, 3}), x.shape()) * static_cast<double>(x.shape(0));
     })},
    {"a size of C++", {{N, 3}}, in_layer([](const Tensor& x) -> Tensor {
       return ops::zeros({x.shape(0) * 2, x.shape(1) + 1});
     })},
};

// The inputs' shape with a size in the place of unknown ones.
std::vector<Tensor> filled(const Case& c, int64_t size) {
  std::vector<Tensor> all;
  for (Shape shape : c.inputs) {
    for (int i = 0; i < shape.rank(); ++i)
      if (shape[i] == N) shape[i] = size;
    all.push_back(ops::cast(test::noise(shape, 0, 1, 5 + static_cast<int>(all.size())), "float32"));
  }
  return all;
}

std::vector<Tensor> open_inputs(const Case& c) {
  std::vector<Tensor> all;
  for (const Shape& shape : c.inputs)
    all.push_back(Input({.batch_shape = shape, .name = "in_" + std::to_string(all.size())}));
  return all;
}

}  // namespace

TEST_CASE("an axis is unknown just when its size depends on an unknown one") {
  for (const Case& c : cases) {
    INFO(c.what);
    const std::vector<Tensor> inputs = open_inputs(c);
    const Tensor symbolic = c.f(inputs);
    // The sizes of the results for two sizes of what is unknown.
    const Tensor a = c.f(filled(c, 12)), b = c.f(filled(c, 18));
    REQUIRE(symbolic.rank() == a.rank());
    CHECK(symbolic.dtype() == a.dtype());
    for (int i = 0; i < a.rank(); ++i) {
      INFO("axis " << i << " of " << symbolic.shape().str() << ", found " << a.shape().str()
                   << " and " << b.shape().str());
      CHECK(symbolic.shape(i) == (a.shape(i) == b.shape(i) ? a.shape(i) : N));
    }
  }
}

TEST_CASE("graphs of unknown sizes compute for each size what the operations compute") {
  for (const Case& c : cases) {
    INFO(c.what);
    const std::vector<Tensor> inputs = open_inputs(c);
    Functional model{Nest(inputs), Nest(c.f(inputs))};
    for (const int64_t size : {12, 7, 18}) {
      INFO("size " << size);
      const std::vector<Tensor> values = filled(c, size);
      const Tensor want = c.f(values);
      const Tensor got = model(inputs.size() == 1 ? Nest(values[0]) : Nest(values)).tensor();
      REQUIRE(got.shape() == want.shape());
      CHECK(test::all_close(got, want, 1e-5, 1e-5));
    }
  }
}

TEST_CASE("graphs of unknown sizes are the same from their configs") {
  for (const Case& c : cases) {
    INFO(c.what);
    const std::vector<Tensor> inputs = open_inputs(c);
    Functional model{Nest(inputs), Nest(c.f(inputs))};
    std::string json;
    try {
      json = model.to_json();
    } catch (const StateError&) {
      continue;  // a layer of a class without a name
    }
    const auto copy = model_from_json(json);
    const std::vector<Tensor> values = filled(c, 9);
    const Nest given = inputs.size() == 1 ? Nest(values[0]) : Nest(values);
    CHECK(test::all_close((*copy)(given).tensor(), model(given).tensor(), 1e-6, 1e-6));
  }
}

TEST_CASE("what needs sizes says so in a graph of unknown ones") {
  const Input x(InputConfig{.batch_shape = Shape{N, 3}});
  const auto same = [](const Nest& x) { return x; };
  CHECK(has(error_of([&] { ops::map(same, x); }), "map: the first axis of shape (None, 3)"));
  CHECK(has(error_of([&] { ops::vectorized_map(same, x); }), "has no known size"));
  CHECK(has(error_of([&] {
              ops::scan([](const Nest& c, const Nest& x) { return ops::Scanned{c, x}; }, Nest(), x);
            }),
            "scan: the first axis of shape (None, 3)"));
  for (const auto& make_one : std::vector<std::function<Tensor()>>{
           [&] { return ops::broadcast_to(ops::ones({3}), x.shape()); },
           [&] { return ops::zeros(x.shape()); }, [&] { return ops::full(x.shape(), 2.0); },
           [&] { return ops::ones(x.shape()); },
           [&] { return Tensor::empty(x.shape(), DType::int8); },
           [&] { return random::uniform(x.shape(), 0, 1, 1); }}) {
    CHECK_THROWS_AS(make_one(), ShapeError);
  }
}

}  // namespace unknown_sizes_test
