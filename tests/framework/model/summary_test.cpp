// Tests of summary: Keras's own text for models of all kinds, and the costs that Keras does not
// have.
#include <cornu/layers/convolutional/conv.h>
#include <cornu/layers/normalization/batch_normalization.h>
#include <cornu/layers/pooling/max_pooling.h>
#include <cornu/layers/recurrent/lstm.h>
#include <cornu/layers/regularization/dropout.h>
#include <cornu/layers/reshaping/flatten.h>

#include <cstdlib>
#include <iostream>
#include <sstream>

#include <cornu/framework/ops/numpy/reduction.h>
#include <cornu/framework/ops/operators.h>
#include "model_support.h"
#include "support/golden_json.h"

namespace summary_test {

using namespace cornu;
using namespace cornu::test;
using layers::Dense;

namespace {

// Terminals have other widths than what the texts were recorded for.
const int columns_are_80 = ::setenv("COLUMNS", "80", 1);

// The line of a table that begins with this layer.
std::string line_of(const std::string& summary, const std::string& layer) {
  const size_t found = summary.find(" " + layer + " (");
  if (found == std::string::npos) return "";
  return summary.substr(found, summary.find('\n', found) - found);
}

// That the text is what Keras prints, made by tools/goldens/summary_goldens.py.
void check(Model& model, const std::string& golden, const SummaryOptions& options = {}) {
  static const Value texts = golden_file("summaries.json");
  INFO(golden);
  CHECK(model.summary_text(options) == entry(texts, golden).get<std::string>());
}

Handle<Sequential> stack() {
  return make<Sequential>(
      {Input({8, 8, 1}), layers::Conv2D({.filters = 4, .kernel_size = 3}), layers::MaxPooling2D(),
       layers::BatchNormalization(), layers::Flatten(), Dense({.units = 10, .name = "logits"})},
      {.name = "stack"});
}

}  // namespace

TEST_CASE("A stack is listed as Keras lists it, in lines of any length") {
  const auto model = stack();
  check(*model, "stack");
  check(*model, "stack_60", {.line_length = 60});
  check(*model, "stack_120", {.line_length = 120});
  check(*model, "stack_20", {.line_length = 20});
  check(*model, "stack_positions", {.line_length = 70, .positions = {0.4, 0.7, 1}});
  check(*model, "stack_positions_short", {.line_length = 70, .positions = {0.4, 0.6, 0.8}});
}

TEST_CASE("A summary may have some layers only") {
  const auto model = stack();
  check(*model, "stack_range", {.layer_range = {{"max", "flat"}}});
  check(*model, "stack_range_turned", {.layer_range = {{"flat", "max"}}});
  CHECK_THROWS_WITH(model->summary_text({.layer_range = {{"x", "flat"}}}),
                    has("no layer's name begins so"));
}

TEST_CASE("A summary tells which layers are trained") {
  const auto model = stack();
  check(*model, "stack_trainable", {.show_trainable = true});
  model->get_layer(2)->set_trainable(false);
  check(*model, "stack_frozen", {.line_length = 78, .show_trainable = true});
}

TEST_CASE("A graph's summary tells what its layers and ops are connected to") {
  Input a({.shape = {4}, .name = "a"}), b({.shape = {4}, .name = "b"});
  Dense shared({.units = 3, .name = "shared"});
  const Tensor of_a = shared(a), of_b = shared(b);
  Functional pair({a, b}, of_a * of_b, {.name = "pair"});
  check(pair, "pair");
  check(pair, "pair_trainable", {.show_trainable = true});

  Input x({.shape = {6, 3}, .name = "x"});
  const Nest states = layers::LSTM({.units = 4, .return_state = true, .name = "lstm"})(Nest(x));
  Functional of_states(x, states[0].tensor() + states[1].tensor(), {.name = "states"});
  check(of_states, "states");
  Input row({.shape = {4}, .name = "x"});
  const Tensor part = Tensor(row)[{Slice(), Slice(1, 3)}];
  Functional of_ops(row, part * 2.0, {.name = "ops"});
  check(of_ops, "ops");
}

TEST_CASE("A summary lists the layers of models inside when it is asked to") {
  Input x({.shape = {4}, .name = "x"});
  const auto inner =
      make<Sequential>({Dense({.units = 5}), layers::Dropout({.rate = 0.1})}, {.name = "inner"});
  Functional outer(x,
                   Dense({.units = 1, .name = "a_layer_with_quite_a_long_name_indeed"})(inner(x)),
                   {.name = "outer"});
  check(outer, "outer");
  check(outer, "outer_expanded", {.expand_nested = true});
  outer.compile({.optimizer = "adam", .loss = "mse"});
  outer.fit(ops::ones({4, 4}), ops::ones({4, 1}), {.verbose = Verbose::silent});
  check(outer, "outer_trained", {.expand_nested = true, .show_trainable = true});

  Input of_graph({.shape = {4}, .name = "graph_in"}), in({.shape = {4}, .name = "x"});
  const auto graph = make<Functional>(of_graph, Dense({.units = 5, .name = "d"})(of_graph),
                                      Functional::Options{.name = "graph"});
  const auto series =
      make<Sequential>({Input({4}), Dense({.units = 5, .name = "e"})}, {.name = "series"});
  const Tensor one = graph(in), two = series(in);
  Functional nested(in, one + two, {.name = "nested"});
  check(nested, "nested", {.expand_nested = true});
}

TEST_CASE("A model that is not built has a summary too") {
  Sequential model({Dense({.units = 3, .name = "dense_0"})}, {.name = "unbuilt"});
  CHECK_THAT(line_of(model.summary_text(), "dense_0"), has("?"));
  CHECK_THAT(line_of(model.summary_text(), "dense_0"), has("0 (unbuilt)"));
  CHECK_THAT(model.summary_text(), has("Total params: 0 (0.00 B)"));
}

TEST_CASE("Options of a summary that do not fit are refused") {
  const auto model = stack();
  CHECK_THROWS_WITH(model->summary_text({.line_length = 12}), has("larger line_length than 12"));
  CHECK_THROWS_WITH(model->summary_text({.positions = {0.5, 1}}),
                    has("2 positions were given for 3 columns"));
}

TEST_CASE("The costs of a Dense are two FLOPs for each weight") {
  Sequential model({Input({100}), Dense({.units = 50, .use_bias = false})});
  const std::string text = model.summary_text({.show_costs = true});
  CHECK_THAT(line_of(text, "dense"), has("10.0 K"));
  CHECK_THAT(text, has("FLOPs"));
  CHECK_THAT(text, has(" One sample: 10.0 KFLOPs"));
  CHECK_THAT(model.summary_text(), !has("FLOPs"));
}

TEST_CASE("The summary of a model of one's own") {
  class Net : public Model {
   public:
    Tensor call(const Tensor& x, const Call&) override { return out(hidden(x)); }
    Dense hidden = track("hidden", Dense({.units = 5}));
    Dense out = track("out", Dense({.units = 1}));
  };
  Net net;
  CHECK_THAT(net.summary_text(), has("0 (unbuilt)"));
  class Block : public Layer {
   public:
    Tensor call(const Tensor& x, const Call&) override { return x; }
  };
  CHECK_THAT(Sequential({Input({3}), make<Block>()}).summary_text(), has("block (Block)"));
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
  std::string taken;
  model.summary({.line_length = 50, .print_fn = [&](const std::string& text) { taken += text; }});
  CHECK(taken == model.summary_text({.line_length = 50}));
}

TEST_CASE("A summary changes nothing") {
  Sequential model({Input({3}), layers::BatchNormalization(), Dense({.units = 2})});
  const auto before = model.get_weights();
  model.summary_text();
  const auto after = model.get_weights();
  for (size_t i = 0; i < before.size(); ++i) CHECK(floats(before[i]) == floats(after[i]));
  CHECK(model.losses().empty());
}

}  // namespace summary_test
