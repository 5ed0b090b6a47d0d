// Images as each module of keras.applications prepares them, in both data formats, as batches and
// one by one, in floats and integers: values and types of Keras.
#include <cornu/cornu.h>
#include <cornu/framework/config/json.h>

#include <map>

#include "../support/contract.h"
#include "../support/golden_json.h"
#include "../support/pattern.h"

namespace preprocessing_test {

using namespace cornu;
using namespace cornu::applications;
using test::entry;
using test::error_of;
using test::has;
using test::pattern;

namespace {

using Prepare = Tensor (*)(const Tensor& x, const std::string& data_format);

const std::map<std::string, Prepare>& modules() {
  static const std::map<std::string, Prepare> all = {
      {"convnext", convnext::preprocess_input},
      {"densenet", densenet::preprocess_input},
      {"efficientnet", efficientnet::preprocess_input},
      {"efficientnet_v2", efficientnet_v2::preprocess_input},
      {"inception_resnet_v2", inception_resnet_v2::preprocess_input},
      {"inception_v3", inception_v3::preprocess_input},
      {"mobilenet", mobilenet::preprocess_input},
      {"mobilenet_v2", mobilenet_v2::preprocess_input},
      {"mobilenet_v3", mobilenet_v3::preprocess_input},
      {"nasnet", nasnet::preprocess_input},
      {"resnet", resnet::preprocess_input},
      {"resnet50", resnet50::preprocess_input},
      {"resnet_v2", resnet_v2::preprocess_input},
      {"vgg16", vgg16::preprocess_input},
      {"vgg19", vgg19::preprocess_input},
      {"xception", xception::preprocess_input}};
  return all;
}

}  // namespace

TEST_CASE("each module prepares images of all types as Keras's does") {
  const Value cases = test::golden_file("preprocessing.json");
  for (const Value& c : cases.get<Value::List>()) {
    INFO(cornu::to_json(c));
    const Prepare prepare = modules().at(entry(c, "module").get<std::string>());
    const auto format = entry(c, "data_format").get<std::string>();
    const Tensor x = test::pattern_at(c, "x"), kept = test::pattern_at(c, "x");
    const double tolerance = x.dtype() == DType::float16 ? 2e-3 : 1e-5;
    CHECK(test::matches_golden(prepare(x, format), c, tolerance));
    CHECK(test::identical(x, kept));
    Function compiled([&](const Nest& in) { return Nest(prepare(in.tensor(), format)); });
    for (int i = 0; i < 3; ++i)
      CHECK(test::matches_golden(compiled(Nest(x)).tensor(), c, tolerance));
  }
}

TEST_CASE("each module says which images and formats it takes") {
  const Tensor image = pattern("unit 2x2x3");
  for (const auto& [name, prepare] : modules()) {
    INFO(name);
    // As in Keras, networks that prepare images themselves look at nothing here.
    if (test::identical(prepare(image, "channels_last"), image)) continue;
    const std::string format = error_of([&, p = prepare] { p(image, "channel_last"); });
    CHECK(has(format, "channel_last"));
    CHECK(has(format, "channels_last"));
  }
  using imagenet_utils::preprocess_input;
  CHECK(
      has(error_of([] { preprocess_input(pattern("unit 2x2x3"), "channels_last", "tensorflow"); }),
          "tf"));
  CHECK(has(error_of([] { preprocess_input(pattern("unit 2x3x2x2x3")); }), "(2, 3, 2, 2, 3)"));
  CHECK(has(error_of([] { preprocess_input(pattern("unit 3")); }), "(3"));
}

TEST_CASE("predictions are ranked as Keras ranks them") {
  // The classes in the order of their scores.
  const Tensor scores = pattern("unit 2x1000 ~0.3");
  const auto values = scores.to_vector<float>();
  const auto ranked = imagenet_utils::decode_predictions(scores, 1000);
  REQUIRE(ranked.size() == 2);
  for (size_t row = 0; row < 2; ++row) {
    REQUIRE(ranked[row].size() == 1000);
    std::vector<float> mine, sorted(values.begin() + static_cast<long>(row) * 1000,
                                    values.begin() + static_cast<long>(row + 1) * 1000);
    std::sort(sorted.rbegin(), sorted.rend());
    for (const auto& class_found : ranked[row]) mine.push_back(class_found.score);
    CHECK(mine == sorted);
  }
  const auto first = imagenet_utils::decode_predictions(scores, 3);
  for (size_t i = 0; i < 3; ++i) CHECK(first[1][i].class_name == ranked[1][i].class_name);
  CHECK(has(error_of([] { imagenet_utils::decode_predictions(pattern("unit 1000")); }), "(1000"));
}

}  // namespace preprocessing_test
