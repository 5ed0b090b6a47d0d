// The layers that networks of keras.applications have of their own.
#include <cornu/applications/convnext.h>
#include <cornu/applications/inception_resnet_v2.h>
#include <cornu/framework/model/functional.h>
#include <cornu/framework/model/sequential.h>

#include "../catch.h"
#include "../support/layer_check.h"

namespace application_layers_test {

using namespace cornu;
using test::check_layer;

TEST_CASE("LayerScale keeps a layer's contract") {
  check_layer<layers::LayerScale>({.init_values = 0.5, .projection_dim = 4},
                                  {.input = {2, 3, 4}, .output = {2, 3, 4}, .weights = 1});
  const Tensor x = Tensor::from({1.0f, -2.0f}, {1, 2});
  CHECK(layers::LayerScale({.init_values = 0.5, .projection_dim = 2})(x).to_vector<float>() ==
        std::vector<float>{0.5f, -1.0f});
}

TEST_CASE("StochasticDepth drops whole samples") {
  check_layer<layers::StochasticDepth>({.drop_path_rate = 0.0},
                                       {.input = {2, 3}, .output = {2, 3}, .weights = 0});
  const layers::StochasticDepth layer({.drop_path_rate = 0.75});
  const Tensor x = Tensor::from(std::vector<float>(4000, 1.0f), {1000, 2, 2});
  CHECK(layer(x).to_vector<float>() == x.to_vector<float>());
  const std::vector<float> y = layer(x, {.training = true}).to_vector<float>();
  int kept = 0;
  bool whole = true;
  for (size_t i = 0; i < y.size(); i += 4) {
    kept += y[i] != 0;
    for (size_t k = 0; k < 4; ++k) whole = whole && y[i + k] == y[i] && (y[i] == 0 || y[i] == 4);
  }
  CHECK(whole);
  CHECK(kept > 180);
  CHECK(kept < 320);
  CHECK_THROWS_AS(layers::StochasticDepth({.drop_path_rate = 1.5}), ValueError);
}

TEST_CASE("CustomScaleLayer adds a scaled residual") {
  const layers::CustomScaleLayer layer({.scale = 0.5});
  const Tensor x = Tensor::from({1.0f, -2.0f}, {1, 2});
  CHECK(layer(Nest{x, x}).tensor().to_vector<float>() == std::vector<float>{1.5f, -3.0f});
  CHECK_THROWS_AS(layer(x), ShapeError);
}

TEST_CASE("Files name them as Keras does, and as older and legacy files do") {
  const Input in({2, 4});
  const Tensor y = layers::StochasticDepth({.drop_path_rate = 0.25})(
      layers::LayerScale({.init_values = 0.5, .projection_dim = 4})(in));
  Functional model(in, layers::CustomScaleLayer({.scale = 0.17})({in, y}));
  const std::string json = model.to_json();
  const auto has = [&](const std::string& part) {
    INFO(part);
    CHECK(json.find(part) != json.npos);
  };
  has(R"("module": "keras.src.applications.convnext", "class_name": "LayerScale")");
  has(R"("registered_name": "LayerScale")");
  has(R"("module": "keras.src.applications.convnext", "class_name": "StochasticDepth")");
  has(R"("module": "keras.src.applications.inception_resnet_v2", "class_name": "CustomScaleLayer")");
  has(R"("name": "custom_scale_layer")");
  CHECK(model_from_json(json)->to_json() == json);
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = json;
    for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
      text.replace(at, from.size(), to);
    return text;
  };
  CHECK(model_from_json(replaced("keras.src.applications", "keras.applications"))->to_json() ==
        json);
  std::string bare = replaced(R"("module": "keras.src.applications.convnext", )", "");
  CHECK(model_from_json(bare)->to_json() == json);
}

}  // namespace application_layers_test
