// Tests of summary: shapes, counts and costs of all kinds of models.
#include <cornu/layers/convolutional/conv.h>
#include <cornu/layers/normalization/batch_normalization.h>
#include <cornu/layers/pooling/max_pooling.h>
#include <cornu/layers/reshaping/flatten.h>

#include <iostream>
#include <sstream>

#include <cornu/framework/ops/numpy/reduction.h>
#include <cornu/framework/ops/operators.h>
#include "model_support.h"

using namespace cornu;
using namespace cornu::test;
using layers::Dense;

namespace {

// The line of a table that begins with this layer.
std::string line_of(const std::string& summary, const std::string& layer) {
  const size_t found = summary.find(" " + layer + " (");
  if (found == std::string::npos) return "";
  return summary.substr(found, summary.find('\n', found) - found);
}

}  // namespace

TEST_CASE("The summary of a Sequential") {
  Sequential model({Input({8, 8, 1}), layers::Conv2D({.filters = 4, .kernel_size = 3}),
                    layers::MaxPooling2D(), layers::BatchNormalization(), layers::Flatten(),
                    Dense({.units = 10, .name = "logits"})});
  const std::string text = model.summary_text();
  CHECK_THAT(text, has("Model: \"sequential\""));
  CHECK_THAT(text, has("conv2d (Conv2D)"));
  CHECK_THAT(line_of(text, "conv2d"), has("(None, 6, 6, 4)"));
  CHECK_THAT(line_of(text, "conv2d"), has(" 40 "));
  CHECK_THAT(line_of(text, "max_pooling2d"), has("(None, 3, 3, 4)"));
  CHECK_THAT(line_of(text, "batch_normalization"), has(" 16 "));
  CHECK_THAT(line_of(text, "flatten"), has("(None, 36)"));
  CHECK_THAT(line_of(text, "logits"), has("(None, 10)"));
  CHECK_THAT(text, has("Total params: 426"));
  CHECK_THAT(text, has("Trainable params: 418"));
  CHECK_THAT(text, has("Non-trainable params: 8"));
  CHECK_THAT(text, has("One sample: "));
}

TEST_CASE("FLOPs of a Dense are two for each weight") {
  Sequential model({Input({100}), Dense({.units = 50, .use_bias = false})});
  CHECK_THAT(line_of(model.summary_text(), "dense"), has("10.0 K"));
}

TEST_CASE("The summary of a Functional lists inputs and shared layers") {
  Input a({.shape = {4}, .name = "a"}), b({.shape = {4}, .name = "b"});
  Dense shared({.units = 3, .name = "shared"});
  Functional model({a, b}, shared(a) * shared(b), {.name = "pair"});
  const std::string text = model.summary_text();
  CHECK_THAT(text, has("Model: \"pair\""));
  CHECK_THAT(text, has("a (InputLayer)"));
  CHECK_THAT(line_of(text, "a"), has("(None, 4)"));
  CHECK_THAT(line_of(text, "shared"), has("(None, 3)"));
  CHECK_THAT(text, has("Total params: 15"));
}

TEST_CASE("The summary of a model of one's own") {
  class Net : public Model {
   public:
    Tensor call(const Tensor& x, const Call&) override { return out(hidden(x)); }
    Dense hidden = track("hidden", Dense({.units = 5}));
    Dense out = track("out", Dense({.units = 1}));
  };
  Net net;
  CHECK_THROWS_WITH(net.summary_text(), has("not built yet"));
  net(wave({2, 3}));
  const std::string text = net.summary_text();
  CHECK_THAT(line_of(text, "dense"), has("(None, 5)"));
  CHECK_THAT(line_of(text, "dense_1"), has("(None, 1)"));
  CHECK_THAT(text, has("Total params: 26"));
  net.compile({.optimizer = "adam", .loss = "mse"});
  net.fit(wave({2, 3}), wave({2, 1}), {.verbose = Verbose::silent});
  CHECK_THAT(net.summary_text(), has("Optimizer params: 54"));
}

TEST_CASE("The summary tells which axes may have any size") {
  Input image({std::nullopt, std::nullopt, 3}),
      row({.dtype = DType::float32, .batch_shape = Shape{4, 6, 2}});
  Functional images(image, layers::Conv2D({.filters = 4, .kernel_size = 3})(image));
  CHECK_THAT(line_of(images.summary_text(), "conv2d"), has("(None, None, None, 4)"));
  Functional rows(row, layers::Flatten()(row));
  CHECK_THAT(line_of(rows.summary_text(), "input_layer"), has("(4, 6, 2)"));
  CHECK_THAT(line_of(rows.summary_text(), "flatten"), has("(4, 12)"));
}

TEST_CASE("The total has the optimizer's parameters") {
  Sequential model({Input({3}), Dense({.units = 2})});
  CHECK_THAT(model.summary_text(), has("Total params: 8 "));
  model.compile({.optimizer = "adam", .loss = "mse"});
  model.fit(wave({2, 3}), wave({2, 2}), {.verbose = Verbose::silent});
  CHECK_THAT(model.summary_text(), has("Total params: 26 "));
  CHECK_THAT(model.summary_text(), has("Optimizer params: 18"));
}

TEST_CASE("A model that reads values has a summary without shapes") {
  class Reads : public Model {
   public:
    Tensor call(const Tensor& x, const Call&) override {
      return ops::sum(x).item() > 0 ? out(x) : out(-x);
    }
    Dense out = track("out", Dense({.units = 1}));
  };
  Reads model;
  model(wave({2, 3}));
  CHECK_THAT(line_of(model.summary_text(), "dense"), has("?"));
  CHECK_THAT(model.summary_text(), has("Total params: 4"));
}

TEST_CASE("summary prints") {
  Sequential model({Input({3}), Dense({.units = 2})});
  std::ostringstream printed;
  std::streambuf* const before = std::cout.rdbuf(printed.rdbuf());
  model.summary();
  std::cout.rdbuf(before);
  CHECK(printed.str() == model.summary_text());
}

TEST_CASE("A summary changes nothing") {
  Sequential model({Input({3}), layers::BatchNormalization(), Dense({.units = 2})});
  const auto before = model.get_weights();
  model.summary_text();
  const auto after = model.get_weights();
  for (size_t i = 0; i < before.size(); ++i) CHECK(floats(before[i]) == floats(after[i]));
  CHECK(model.losses().empty());
}
