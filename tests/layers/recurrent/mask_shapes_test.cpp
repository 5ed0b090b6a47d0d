// Recurrent layers refuse masks that do not say for each step whether it is real.
#include <cornu/cornu.h>

#include "../../support/contract.h"
#include "../../support/gradient_check.h"

namespace mask_shapes_test {

using namespace cornu;
using test::error_of;
using test::has;

namespace {

Tensor mask_of(const Shape& shape) { return ops::cast(ops::ones(shape), DType::boolean); }

}  // namespace

TEST_CASE("recurrent layers refuse masks of another number of steps") {
  const Tensor x = ops::cast(test::noise({2, 3, 4}), DType::float32);
  for (const bool unroll : {false, true})
    for (const bool backwards : {false, true}) {
      INFO("unroll " << unroll << ", backwards " << backwards);
      const std::vector<AnyLayer> all = {
          AnyLayer(layers::LSTM({.units = 2, .go_backwards = backwards, .unroll = unroll})),
          AnyLayer(layers::GRU({.units = 2, .go_backwards = backwards, .unroll = unroll})),
          AnyLayer(layers::SimpleRNN({.units = 2, .go_backwards = backwards, .unroll = unroll})),
          AnyLayer(layers::RNN({.cell = layers::StackedRNNCells(
                                    {.cells = {AnyLayer(layers::LSTMCell({.units = 2})),
                                               AnyLayer(layers::GRUCell({.units = 2}))}}),
                                .return_sequences = true,
                                .go_backwards = backwards,
                                .unroll = unroll})),
          AnyLayer(layers::Bidirectional(
              {.layer = AnyLayer(layers::LSTM({.units = 2, .unroll = unroll}))}))};
      // A GPU's library has another algorithm for layers without masks.
      const double allowed = default_device().is_cpu() ? 2e-6 : 5e-6;
      for (const AnyLayer& layer : all) {
        INFO(layer->name());
        const Tensor plain = (*layer.shared())(x);
        CHECK(test::difference((*layer.shared())(x, {.mask = mask_of({2, 3})}), plain) < allowed);
        for (const Shape& wrong : {Shape{2, 1}, Shape{2, 2}, Shape{2, 4}, Shape{2, 0}, Shape{2},
                                   Shape{}, Shape{2, 3, 1}, Shape{2, 3, 4}}) {
          const std::string named =
              error_of([&] { (*layer.shared())(x, {.mask = mask_of(wrong)}); });
          const std::string carried =
              error_of([&] { (*layer.shared())(x.with_mask(mask_of(wrong))); });
          CHECK(has(named, "expected the shape (2, 3), found " + wrong.str()));
          CHECK(has(carried, "expected the shape (2, 3), found " + wrong.str()));
          CHECK(has(named, "Layer '" + layer->name()));
        }
        // A mask for one sample serves all.
        CHECK(test::difference((*layer.shared())(x, {.mask = mask_of({1, 3})}), plain) < allowed);
      }
    }
}

TEST_CASE("a graph refuses such masks while it is made") {
  const Input x({5, 4}), shorter({4, 4});
  const layers::Masking masking;
  const Tensor mask = masking(shorter).mask();
  REQUIRE(mask);
  CHECK(has(error_of([&] { layers::LSTM({.units = 2})(x, {.mask = mask}); }), "found (None, 4)"));
}

TEST_CASE("convolutional recurrent layers refuse such masks too") {
  const Tensor x = ops::cast(test::noise({2, 3, 4, 4, 1}), DType::float32);
  const layers::ConvLSTM2D layer({.filters = 2, .kernel_size = 2});
  CHECK(layer(x, {.mask = mask_of({2, 3})}).shape() == Shape{2, 3, 3, 2});
  CHECK(has(error_of([&] { layer(x, {.mask = mask_of({2, 2})}); }), "found (2, 2)"));
}

}  // namespace mask_shapes_test
