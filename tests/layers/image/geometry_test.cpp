// Layers that move the pixels of images, and functions on boxes, against what Keras computes:
// tests/data/images.json, written by tools/goldens/image_goldens.py.
#include <cornu/framework/compile/function.h>
#include <cornu/framework/config/json.h>
#include <cornu/framework/ops/bounding_boxes.h>
#include <cornu/framework/ops/catalog.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/layers/image/center_crop.h>
#include <cornu/layers/image/max_num_bounding_boxes.h>
#include <cornu/layers/image/random_crop.h>
#include <cornu/layers/image/random_elastic_transform.h>
#include <cornu/layers/image/random_erasing.h>
#include <cornu/layers/image/random_flip.h>
#include <cornu/layers/image/random_perspective.h>
#include <cornu/layers/image/random_rotation.h>
#include <cornu/layers/image/random_shear.h>
#include <cornu/layers/image/random_translation.h>
#include <cornu/layers/image/random_zoom.h>
#include <cornu/layers/image/resizing.h>

#include <cctype>

#include "../../catch.h"
#include "../../support/golden_json.h"
#include "../../support/gradient_check.h"
#include "../../support/layer_check.h"

namespace geometry_test {

using namespace cornu;
using test::entry;
using test::golden_file;
using test::golden_tensor;

namespace {

bool is_tensor(const Value& v) {
  return v.is<Value::Dict>() && detail::find(v.get<Value::Dict>(), "values");
}

Nest nest(const Value& v) {
  if (is_tensor(v)) return golden_tensor(v);
  Nest::Dict dict;
  for (const auto& [key, value] : v.get<Value::Dict>()) dict.emplace_back(key, nest(value));
  return Nest::dict(dict);
}

Value recorded() { return golden_file("images.json"); }

void compare(const Nest& found, const Nest& expected, double tolerance) {
  REQUIRE(found.same_structure(expected));
  const auto a = found.flatten(), b = expected.flatten();
  for (size_t i = 0; i < a.size(); ++i) {
    INFO("number " << i << "\nfound " << a[i].str() << "\nexpected " << b[i].str());
    CHECK(a[i].dtype() == b[i].dtype());
    CHECK(test::difference(a[i], b[i]) < tolerance);
  }
}

// "crop_boxes" as "CropBoxes".
std::string pascal_case(const std::string& name) {
  std::string result;
  for (size_t i = 0; i < name.size(); ++i)
    if (name[i] != '_')
      result += i == 0 || name[i - 1] == '_' ? static_cast<char>(std::toupper(name[i])) : name[i];
  return result;
}

const Tensor photo = ops::cast(test::noise({2, 5, 6, 2}, 0, 255), DType::float32);

}  // namespace

TEST_CASE("geometric layers draw and compute as Keras's") {
  const Value cases = recorded();
  for (const Value& c : entry(cases, "layers").get<Value::List>()) {
    INFO(entry(c, "name").get<std::string>());
    const auto layer = std::dynamic_pointer_cast<Layer>(deserialize(entry(c, "layer")));
    REQUIRE(layer);
    const Nest data = nest(entry(c, "data"));
    Call call;
    if (!entry(c, "training").is_null()) call.training = entry(c, "training").get<bool>();
    for (const Value& expected : entry(c, "results").get<Value::List>())
      compare((*layer)(data, call), nest(expected), 2e-3);
  }
}

TEST_CASE("functions on boxes and distortions compute as Keras's") {
  const OpCatalog& catalog = op_catalog();
  const Value cases = recorded();
  for (const Value& c : entry(cases, "functions").get<Value::List>()) {
    const std::string name = entry(c, "name").get<std::string>();
    INFO(name);
    const auto& given = entry(c, "arguments").get<Value::Dict>();
    const OpInfo* op = catalog.find(
        name.starts_with("keras.ops") ? "keras.src.ops.image" : "keras.src.ops.bounding_boxes",
        pascal_case(name.substr(name.rfind('.') + 1)));
    REQUIRE(op);
    std::vector<Value> arguments;
    for (size_t i = 0; i < op->parameters.size(); ++i) {
      const Value* v = detail::find(given, op->parameters[i]);
      arguments.push_back(!v              ? op->defaults[i].value()
                          : is_tensor(*v) ? Value(golden_tensor(*v))
                                          : *v);
    }
    compare(op->call(arguments), nest(entry(c, "result")), 1e-3);
  }
}

TEST_CASE("a drawn transformation applies to what the caller likes") {
  layers::RandomFlip flip({.mode = "horizontal", .seed = 3});
  const layers::Transformation drawn = flip->get_random_transformation(photo);
  CHECK(drawn["flips"].shape() == Shape{2, 1, 1, 1});
  CHECK(drawn.input_shape == photo.shape());
  CHECK_THROWS_AS(drawn["flip"], ValueError);
  CHECK_THROWS_AS(drawn.part("flips"), ValueError);
  CHECK(flip->get_random_transformation(photo, false).empty());
  const Tensor both = flip->transform_images(photo, {.values = {{"flips", Tensor(true)}}});
  CHECK(test::difference(both, ops::flip(photo, -2)) == 0);
  layers::RandomTranslation move({.height_factor = 0.0, .width_factor = 0.0});
  const Tensor right = ops::broadcast_to(Tensor::from({1.0f, 0.0f}, {1, 2}), {2, 2});
  const Tensor moved = move->transform_images(photo, {.values = {{"translations", right}}});
  CHECK(test::difference(ops::slice(moved, Tensor::from({0, 0, 1, 0}, {4}), {2, 5, 5, 2}),
                         ops::slice(photo, Tensor::from({0, 0, 0, 0}, {4}), {2, 5, 5, 2})) < 1e-5);
  SeedGenerator seeds(3);
  const layers::Transformation again = flip->get_random_transformation(photo, true, &seeds);
  CHECK(test::difference(ops::cast(again["flips"], DType::float32),
                         ops::cast(drawn["flips"], DType::float32)) == 0);
}

TEST_CASE("rectangles are painted in a color") {
  const Tensor black = ops::zeros({4, 3, 8, 9});
  layers::RandomErasing erase({.scale = {0.2, 0.5},
                               .fill_value = layers::Numbers{1.0, 2.0, 300.0},
                               .seed = 1,
                               .data_format = "channels_first"});
  const auto channels = ops::unstack(erase(black), 3, 1);
  const Tensor painted = ops::cast(ops::greater(channels[0], 0), DType::float32);
  CHECK(ops::sum(painted).item() > 0);
  CHECK(test::difference(channels[0], painted) == 0);
  CHECK(test::difference(channels[1], painted * 2.0) == 0);
  CHECK(test::difference(channels[2], painted * 255.0) == 0);
  CHECK_THROWS_AS(erase(ops::zeros({4, 2, 8, 9})), ShapeError);
}

TEST_CASE("geometric layers work in compiled functions and graphs") {
  const std::vector<std::function<std::shared_ptr<Layer>()>> makers = {
      [] { return layers::RandomFlip({.seed = 1}).shared(); },
      [] { return layers::RandomCrop({.height = 3, .width = 4, .seed = 1}).shared(); },
      [] {
        return layers::RandomTranslation({.height_factor = 0.2, .width_factor = 0.2, .seed = 1})
            .shared();
      },
      [] { return layers::RandomRotation({.factor = 0.2, .seed = 1}).shared(); },
      [] { return layers::RandomZoom({.height_factor = 0.2, .seed = 1}).shared(); },
      [] { return layers::RandomShear({.x_factor = 0.2, .y_factor = 0.2, .seed = 1}).shared(); },
      [] { return layers::RandomPerspective({.scale = 0.5, .seed = 1}).shared(); },
      [] { return layers::RandomErasing({.seed = 1}).shared(); },
      [] { return layers::RandomElasticTransform({.seed = 1}).shared(); },
      [] { return layers::CenterCrop({.height = 3, .width = 4}).shared(); },
      [] { return layers::Resizing({.height = 3, .width = 4}).shared(); },
  };
  for (const auto& make : makers) {
    const auto eager = make(), compiled = make();
    INFO(eager->name());
    const auto step = function([&](const Tensor& x) { return (*compiled)(x); });
    for (int i = 0; i < 3; ++i) {
      const Tensor expected = (*eager)(photo);
      CHECK(test::difference(step(photo), expected) < 1e-4);
    }
    CHECK(eager->compute_output_shape({Shape::unknown, 5, 6, 2}) ==
          Shape{Shape::unknown, (*eager)(photo).shape()[1], (*eager)(photo).shape()[2], 2});
  }
}

TEST_CASE("geometric layers have gradients") {
  const Tensor x = test::noise({2, 5, 6, 1}, 0, 200);
  const std::optional<DTypePolicy> exact = DTypePolicy("float64");
  layers::RandomRotation turn({.factor = 0.2, .seed = 1, .dtype = exact});
  layers::RandomPerspective look({.scale = 0.5, .seed = 1, .dtype = exact});
  layers::RandomCrop crop({.height = 3, .width = 4, .seed = 1, .dtype = exact});
  const std::vector<layers::ImagePreprocessing*> all = {&*turn, &*look, &*crop};
  for (layers::ImagePreprocessing* layer : all) {
    const layers::Transformation drawn = layer->get_random_transformation(x);
    CHECK(test::gradient_error(
              [&](const std::vector<Tensor>& in) { return layer->transform_images(in[0], drawn); },
              {x}, 1e-3) < 1e-6);
  }
}

TEST_CASE("crops that have to resize have the dtypes of Keras's") {
  const Tensor x = Tensor::from({0, 3}, {1, 1, 2, 1});
  const Tensor center =
      layers::CenterCrop({.height = 1, .width = 4, .dtype = DTypePolicy("mixed_float16")})(
          ops::cast(x, DType::float32));
  CHECK(center.dtype() == DType::float32);
  const Tensor part = layers::RandomCrop({.height = 1, .width = 4, .dtype = DType::uint8})(
      ops::cast(x, DType::uint8), {.training = true});
  CHECK(part.dtype() == DType::uint8);
  CHECK(ops::cast(part, DType::int32).to_vector<int32_t>() == std::vector<int32_t>{0, 0, 2, 3});
}

TEST_CASE("geometric layers refuse what they cannot use") {
  CHECK_THROWS_AS(layers::RandomFlip({.mode = "horizontall"}), ValueError);
  CHECK_THROWS_AS(layers::RandomTranslation({.height_factor = 1.5, .width_factor = 0.0}),
                  ValueError);
  CHECK_THROWS_AS(layers::RandomZoom({.height_factor = -1.0}), ValueError);
  CHECK_THROWS_AS(layers::RandomRotation({.factor = layers::Numbers{0.1, 0.2, 0.3}}), ValueError);
  CHECK_THROWS_AS(layers::RandomRotation({.factor = 0.1, .fill_mode = "mirror"}), UnsupportedError);
  CHECK_THROWS_AS(layers::RandomShear({.x_factor = -0.1}), ValueError);
  CHECK_THROWS_AS(layers::RandomPerspective({.scale = 1.1}), ValueError);
  CHECK_THROWS_AS(layers::RandomErasing({.fill_value = layers::Numbers{1.0, 2.0}}), ValueError);
  CHECK_THROWS_AS(layers::RandomElasticTransform({.interpolation = "cubic"}), UnsupportedError);
  CHECK_THROWS_AS(layers::MaxNumBoundingBoxes({.max_number = 0}), ValueError);
  layers::RandomFlip flip({.seed = 1});
  CHECK_THROWS_AS(flip(ops::ones({3, 4})), ShapeError);
  const Tensor boxes = ops::ones({2, 1, 4});
  const auto with = [](const Nest& boxes) {
    return Nest::dict({{"images", photo}, {"bounding_boxes", boxes}});
  };
  const Nest good = Nest::dict({{"boxes", boxes}, {"labels", ops::ones({2, 1})}});
  CHECK_THROWS_AS(flip(with(good)), ValueError);
  layers::RandomElasticTransform distort({.bounding_box_format = "xyxy"});
  CHECK_THROWS_AS(distort(with(good)), UnsupportedError);
  layers::RandomFlip known({.seed = 1, .bounding_box_format = "xyxy"});
  CHECK(known(with(good))["bounding_boxes"]["boxes"].tensor().shape() == Shape{2, 1, 4});
  CHECK_THROWS_AS(known(with(Nest::dict({{"boxes", boxes}}))), ValueError);
  CHECK_THROWS_AS(known(with(Nest::dict({{"boxes", boxes}, {"labels", Tensor(1)}}))), ShapeError);
  CHECK_THROWS_AS(ops::crop_boxes(boxes, Tensor(1), Tensor(1), Tensor(2), Tensor(2), "rel_xyxy"),
                  UnsupportedError);
  CHECK_THROWS_AS(ops::encode_box_to_deltas(boxes, boxes, "xyxy", "xyxy", "xyxy"), ValueError);
}

TEST_CASE("geometric layers are made again from their options") {
  const auto has = [](const Value::Dict& dict, const char* key) {
    return detail::find(dict, key) != nullptr;
  };
  layers::RandomFlip plain, boxed({.bounding_box_format = "xyxy"});
  CHECK(!has(plain->get_config(), "bounding_box_format"));
  CHECK(has(boxed->get_config(), "bounding_box_format"));
  layers::RandomShear shear({.x_factor = 0.25, .seed = 1});
  Value::Dict config = shear->get_config();
  for (auto& [key, value] : config)
    if (key == "x_factor") value = Value::List{-0.25, 0.25};
  const auto again = layers::RandomShearLayer::from_config(config);
  CHECK(test::difference((*again)(photo), shear(photo)) == 0);
}

}  // namespace geometry_test
