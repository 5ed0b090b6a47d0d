// Masks through layers: which hand them on, eagerly, in graphs and from files; masks by name and in
// lists; layers of one's own that make, change and drop them, with several inputs and outputs.
#include <cornu/cornu.h>

#include "catch.h"
#include "support/contract.h"
#include "support/gradient_check.h"
#include "support/matchers.h"
#include "support/standard_error.h"

namespace layer_masks_test {

using namespace cornu;
using test::error_of;
using test::has;

namespace {

const Tensor values = ops::cast(test::noise({2, 3, 4}), DType::float32);
const Tensor mask = ops::cast(Tensor::from({1, 1, 0, 1, 0, 0}, {2, 3}), DType::boolean);
const Tensor other = ops::cast(Tensor::from({0, 1, 1, 1, 1, 1}, {2, 3}), DType::boolean);

bool is_mask(const Tensor& found, const Tensor& expected) {
  return found && found.shape() == expected.shape() &&
         ops::all(ops::equal(ops::cast(found, DType::boolean), expected)).item() != 0;
}

// Hands on what it is told to, of as many inputs as there are.
class Many : public Layer {
 public:
  using Masks = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;
  Many(size_t outputs, Masks masks) : outputs_(outputs), masks_(std::move(masks)) {
    supports_masking_ = true;
  }
  Nest call_many(const Nest& inputs, const Call& call) override {
    seen = call.mask;
    Tensor sum;
    for (const Tensor& t : inputs.flatten()) sum = sum ? sum + t : t * 1.0;
    if (outputs_ == 1) return sum;
    Nest::List all;
    for (size_t i = 0; i < outputs_; ++i) all.push_back(Nest(sum * static_cast<double>(i)));
    return all;
  }
  std::vector<Tensor> compute_masks(const Nest& inputs, const std::vector<Tensor>& given) override {
    return masks_ ? masks_(given) : Layer::compute_masks(inputs, given);
  }
  Tensor seen;

 private:
  size_t outputs_;
  Masks masks_;
};

struct Passing {
  AnyLayer layer;
  bool passes;
};

// Keras 3.15 passes the mask through these layers, and through no other of them.
std::vector<Passing> passing() {
  using namespace layers;
  return {{Dense({.units = 2}), true},
          {layers::Activation({.activation = "relu"}), true},
          {Dropout({.rate = 0.5}), true},
          {LayerNormalization(), true},
          {BatchNormalization(), true},
          {ActivityRegularization({.l1 = 0.1}), true},
          {GaussianNoise({.stddev = 0.1}), true},
          {SpatialDropout1D({.rate = 0.2}), true},
          {TimeDistributed({.layer = AnyLayer(Dense({.units = 2}))}), true},
          {Identity(), true},
          {UnitNormalization(), true},
          {GroupNormalization({.groups = 2}), true},
          {ReLU(), true},
          {PReLU(), true},
          {LSTM({.units = 2, .return_sequences = true}), true},
          {Bidirectional({.layer = AnyLayer(GRU({.units = 2, .return_sequences = true}))}), true},
          {Rescaling({.scale = 2.0}), true},
          {Reshape({.target_shape = {12}}), false},
          {Permute({.dims = {2, 1}}), false},
          {Flatten(), false},
          {EinsumDense({.equation = "abc,cd->abd", .output_shape = {std::nullopt, 2}}), false},
          {Cropping1D({.cropping = {1, 1}}), false},
          {ZeroPadding1D({.padding = {1, 1}}), false},
          {UpSampling1D({.size = 2}), false},
          {Conv1D({.filters = 2, .kernel_size = 2}), false},
          {GlobalMaxPooling1D(), false},
          {GlobalAveragePooling1D(), false},
          {MaxPooling1D({.pool_size = 2}), false},
          {RMSNormalization(), false},
          {LSTM({.units = 2}), false}};
}

}  // namespace

TEST_CASE("masks pass the layers that they pass in Keras") {
  test::standard_error_of([] {
    for (const auto& [layer, passes] : passing()) {
      INFO(layer->base_name());
      const auto call = layer.shared();
      const Tensor carried = (*call)(values.with_mask(mask));
      CHECK(static_cast<bool>(carried.mask()) == passes);
      if (passes) CHECK(is_mask(carried.mask(), mask));
      // By name as well.
      const Tensor named = (*call)(values, {.mask = mask});
      CHECK(static_cast<bool>(named.mask()) == passes);
      CHECK_FALSE((*call)(values).mask());
      CHECK_FALSE(values.mask());
      // The numbers are the same either way.
      CHECK(test::difference(carried, named) == 0);
    }
  });
}

TEST_CASE("masks pass the same layers in graphs, and in graphs from configs") {
  test::standard_error_of([] {
    for (const auto& [layer, passes] : passing()) {
      INFO(layer->base_name());
      const Input x({3, 4});
      const layers::Masking masking;
      const Tensor y = (*layer.shared())(masking(x));
      CHECK(static_cast<bool>(y.mask()) == passes);
      Functional model(x, y);
      const Tensor zeros_behind = values * ops::expand_dims(ops::cast(mask, DType::float32), {-1});
      const Tensor want = (*layer.shared())(masking(zeros_behind));
      const Tensor got = model(zeros_behind);
      CHECK(test::difference(got, want) < 1e-6);
      CHECK(static_cast<bool>(got.mask()) == passes);
      const auto copy = model_from_json(model.to_json());
      copy->set_weights(model.get_weights());
      const Tensor again = (*copy)(Nest(zeros_behind)).tensor();
      CHECK(static_cast<bool>(again.mask()) == passes);
      CHECK(test::difference(again, want) < 1e-6);
    }
  });
}

TEST_CASE("a mask by name stands before a carried one, for this call alone") {
  const layers::LSTM lstm({.units = 2, .return_sequences = true});
  const Tensor carried = values.with_mask(mask);
  const Tensor y = lstm(carried, {.mask = other});
  CHECK(is_mask(y.mask(), other));
  CHECK(test::difference(y, lstm(values, {.mask = other})) == 0);
  CHECK(is_mask(carried.mask(), mask));
  Many layer(1, {});
  layer(carried, {.mask = other});
  CHECK(is_mask(layer.seen, other));
  layer(carried);
  CHECK(is_mask(layer.seen, mask));
  layer(values);
  CHECK_FALSE(layer.seen);
}

TEST_CASE("masks in a list are those of the inputs, an empty one means none") {
  std::vector<Tensor> given;
  Many layer(1, [&](const std::vector<Tensor>& masks) {
    given = masks;
    return std::vector<Tensor>{masks.back()};
  });
  const Tensor carried = values.with_mask(mask);
  const Nest y = layer(Nest{carried, values}, {.masks = {Tensor(), other}});
  REQUIRE(given.size() == 2);
  CHECK_FALSE(given[0]);
  CHECK(is_mask(given[1], other));
  CHECK(is_mask(y.tensor().mask(), other));
  CHECK(is_mask(carried.mask(), mask));
  CHECK_FALSE(values.mask());
  layer(Nest{carried, values}, {.masks = {other}});
  CHECK(is_mask(given[0], other));
  CHECK_FALSE(given[1]);
  CHECK(has(error_of([&] {
              layer(Nest{values, values}, {.masks = {mask, mask, mask}});
            }),
            "Layer 'many' (Many): 3 masks were given for 2 inputs."));
  CHECK(has(error_of([&] {
              layer(values, {.masks = {mask, mask}});
            }),
            "2 masks were given for 1 inputs."));
}

TEST_CASE("each output has its mask, and outputs without one have none") {
  const auto swapped = [](const std::vector<Tensor>& m) {
    return std::vector<Tensor>{m[1], Tensor(), m[0]};
  };
  const auto layer = make<Many>(4, swapped);
  const Nest y = layer(Nest{values.with_mask(mask), values.with_mask(other)});
  CHECK(is_mask(y[0].tensor().mask(), other));
  CHECK_FALSE(y[1].tensor().mask());
  CHECK(is_mask(y[2].tensor().mask(), mask));
  CHECK_FALSE(y[3].tensor().mask());
  // More masks than outputs are left.
  const auto more = make<Many>(1, [](const std::vector<Tensor>& m) {
    return std::vector<Tensor>{m[0], m[0], m[0]};
  });
  CHECK(is_mask(more(Nest{values.with_mask(mask), values}).tensor().mask(), mask));
  // In a graph too.
  const Input a({3, 4}), b({3, 4});
  const layers::Masking masking;
  const Nest symbolic = layer(Nest{masking(a), masking(b)});
  CHECK(symbolic[0].tensor().mask());
  CHECK_FALSE(symbolic[1].tensor().mask());
  CHECK(symbolic[2].tensor().mask());
  CHECK_FALSE(symbolic[3].tensor().mask());
}

TEST_CASE("by default the first mask is the first output's, and others follow where it does") {
  const auto layer = make<Many>(2, Many::Masks());
  const Nest y = layer(Nest{values.with_mask(mask), values.with_mask(other)});
  CHECK(is_mask(y[0].tensor().mask(), mask));
  CHECK(is_mask(y[1].tensor().mask(), other));
  const Nest late = layer(Nest{values, values.with_mask(other)});
  CHECK(is_mask(late[0].tensor().mask(), other));
}

TEST_CASE("a layer may make a mask, set it on its output, or hand on another") {
  class Makes : public Layer {
   public:
    Tensor call(const Tensor& x, const Call&) override { return x * 1.0; }
    Tensor compute_mask(const Nest& inputs, const Tensor&) override {
      return ops::any(ops::not_equal(inputs.tensor(), 0.0), -1);
    }
  } makes;
  class Sets : public Layer {
   public:
    Tensor call(const Tensor& x, const Call&) override { return (x * 1.0).with_mask(other); }
    Tensor compute_mask(const Nest&, const Tensor&) override { return mask; }
  } sets;
  class Returns : public Layer {
   public:
    Tensor call(const Tensor& x, const Call&) override { return x; }
  } returns;
  CHECK(is_mask(makes(values).mask(), ops::cast(ops::ones({2, 3}), DType::boolean)));
  CHECK(
      is_mask(makes(values.with_mask(mask)).mask(), ops::cast(ops::ones({2, 3}), DType::boolean)));
  CHECK(is_mask(sets(values).mask(), other));
  // What a layer returns as it came loses a mask that the layer does not support.
  const Tensor carried = values.with_mask(mask);
  test::standard_error_of([&] { CHECK_FALSE(returns(carried).mask()); });
  CHECK(is_mask(carried.mask(), mask));
}

TEST_CASE("masks come through mixed precision and through casts of inputs") {
  for (const char* policy : {"mixed_bfloat16", "float16", "float64"}) {
    INFO(policy);
    const layers::Dense dense({.units = 2, .dtype = policy});
    const Tensor y = dense(values.with_mask(mask));
    CHECK(is_mask(y.mask(), mask));
    CHECK(y.mask().dtype() == DType::boolean);
    const layers::LSTM lstm({.units = 2, .dtype = policy});
    CHECK(test::difference(lstm(values.with_mask(mask)), lstm(values, {.mask = mask})) == 0);
  }
}

TEST_CASE("masks of a compiled model are those of its calls") {
  Sequential model({Input({3, 4}), layers::Masking(), layers::Dense({.units = 1})});
  auto compiled = function([&](const Tensor& x) -> Tensor { return model(x); });
  for (int call = 0; call < 4; ++call) {
    const Tensor keep = call % 2 ? mask : other;
    const Tensor x = values * ops::expand_dims(ops::cast(keep, DType::float32), {-1});
    const Tensor y = compiled(x);
    CHECK(test::difference(y, model(x)) < 1e-6);
    CHECK(is_mask(model(x).mask(), keep));
  }
  // The loss counts what the mask keeps.
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const Tensor x = values * ops::expand_dims(ops::cast(mask, DType::float32), {-1});
  const double loss = model.evaluate(x, ops::ones({2, 3, 1}), {.verbose = Verbose::silent})["loss"];
  const Tensor errors = ops::square(ops::squeeze(model(x), -1) - 1.0);
  const Tensor kept = ops::cast(mask, DType::float32);
  CHECK(loss == Approx((ops::sum(errors * kept) / ops::sum(kept)).item()).epsilon(1e-5));
}

}  // namespace layer_masks_test
