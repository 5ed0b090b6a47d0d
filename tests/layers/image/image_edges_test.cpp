// Layers on odd images: none, of one pixel, of one row, gray ones, of integers. They have the
// shapes and dtypes of Keras's: tests/data/image_edges.json, by
// tools/goldens/image_edge_goldens.py.
#include <cornu/cornu.h>

#include "../../catch.h"
#include "../../support/contract.h"
#include "../../support/golden_json.h"

namespace image_edges_test {

using namespace cornu;
using test::entry;
using test::identical;

namespace {

// "2x6x8x3 uint8".
std::pair<Shape, DType> spec_of(const std::string& words) {
  Shape shape;
  std::istringstream in(words);
  for (int64_t size = 0; in >> size; in.get()) {
    shape.push_back(size);
    if (in.peek() == ' ') break;
  }
  std::string dtype;
  in >> dtype;
  return {shape, dtype_of(dtype)};
}

std::string words_of(const Tensor& x) {
  std::string words;
  for (const int64_t size : x.shape()) words += (words.empty() ? "" : "x") + std::to_string(size);
  return words + " " + std::string(dtype_name(x.dtype()));
}

Tensor picture(const Shape& shape, DType dtype) {
  std::vector<float> values(static_cast<size_t>(shape.numel()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 37 % 251);
  return ops::cast(Tensor::from(values, shape), dtype);
}

std::shared_ptr<Layer> made(const Value& golden) {
  const Value::Dict config{{"module", "keras.layers"},
                           {"class_name", entry(golden, "layer")},
                           {"config", entry(golden, "config")}};
  return std::dynamic_pointer_cast<Layer>(deserialize(Value(config)));
}

bool mixes(const Value& golden) {
  const std::string kind = entry(golden, "layer").get<std::string>();
  return kind == "MixUp" || kind == "CutMix";
}

Nest given(const Value& golden, const Tensor& x) {
  if (!mixes(golden)) return Nest(x);
  return Nest{{"images", x}, {"labels", ops::ones({x.shape()[0], 3})}};
}

Tensor images_of(const Nest& nest) {
  return nest.is_tensor() ? nest.tensor() : nest["images"].tensor();
}

const Value::List& goldens() {
  static const Value all = test::golden_file("image_edges.json");
  return all.get<Value::List>();
}

}  // namespace

TEST_CASE("Layers on odd images give what Keras's give, of the same shape and dtype") {
  for (const Value& golden : goldens())
    for (const Value& one : entry(golden, "cases").get<Value::List>()) {
      const auto& parts = one.get<Value::List>();
      const bool training = parts[1].get<bool>(), finite = parts[3].get<bool>();
      INFO(entry(golden, "layer").get<std::string>()
           << " of " << parts[0].get<std::string>() << (training ? " in training" : ""));
      const auto [shape, dtype] = spec_of(parts[0].get<std::string>());
      const auto layer = made(golden);
      REQUIRE(layer);
      Tensor y;
      const std::string error = test::error_of([&] {
        y = images_of((*layer)(given(golden, picture(shape, dtype)), {.training = training}));
      });
      CHECK(error == "no error");
      if (!y) continue;
      CHECK(words_of(y) == parts[2].get<std::string>());
      if (finite)
        for (const double v : y.to_vector<double>()) REQUIRE(std::isfinite(v));
    }
}

TEST_CASE("Shapes and dtypes of images are inferred as they come out") {
  for (const Value& golden : goldens())
    for (const Value& one : entry(golden, "cases").get<Value::List>()) {
      const auto& parts = one.get<Value::List>();
      const auto [shape, dtype] = spec_of(parts[0].get<std::string>());
      // Some keep integers outside of training; a graph has what training gives.
      if (shape.numel() == 0 || !parts[1].get<bool>()) continue;
      INFO(entry(golden, "layer").get<std::string>() << " of " << parts[0].get<std::string>());
      const auto layer = made(golden);
      const Nest specs = given(golden, picture(shape, dtype)).map([](const Tensor& x) {
        return Tensor::abstract(x.shape(), x.dtype());
      });
      const Tensor spec = images_of(layer->compute_output_spec(specs));
      CHECK(words_of(spec) == parts[2].get<std::string>());
    }
}

TEST_CASE("An image in a batch is changed by its own draw, whatever the others are") {
  // The same draws, and other pixels behind the first image.
  for (const Value& golden : goldens()) {
    const std::string kind = entry(golden, "layer").get<std::string>();
    // As Keras's, equalization counts the levels of the whole batch.
    if (mixes(golden) || kind == "Equalization" || kind == "AugMix") continue;
    INFO(kind);
    const Tensor x = picture({3, 6, 8, 3}, DType::float32);
    const Tensor first = ops::get_item(x, Value::List{Slice{0, 1}});
    const Tensor other = ops::concatenate({first, ops::zeros({2, 6, 8, 3})}, 0);
    const Tensor a = (*made(golden))(x, {.training = true}),
                 b = (*made(golden))(other, {.training = true});
    CHECK(test::difference(a[0], b[0]) < 1e-5);
  }
}

TEST_CASE("Images that are the same before are not changed by a layer of no effect") {
  // Outside of training, of any dtype of floats, to the bit.
  for (const Value& golden : goldens()) {
    const std::string kind = entry(golden, "layer").get<std::string>();
    if (!kind.starts_with("Random") || kind == "RandomCrop") continue;
    for (const DType dtype : {DType::float32, DType::float64}) {
      INFO(kind << " of " << dtype_name(dtype));
      const Tensor x = picture({2, 6, 8, 3}, dtype);
      const auto layer = made(golden);
      CHECK(identical(ops::cast((*layer)(x, {.training = false}), DType::float64),
                      ops::cast(x, DType::float64)));
    }
  }
}

}  // namespace image_edges_test
