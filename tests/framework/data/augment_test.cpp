// Augmentation as such: order, places, landmarks, errors.
#include <cornu/framework/data/augment.h>
#include <cornu/framework/data/geometry.h>
#include <cornu/framework/data/place.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/framework/tensor/device.h>

#include <cmath>

#include "../../catch.h"
#include "../../support/contract.h"

namespace augment_test {

using namespace cornu;
using data::Draws;
using data::Sample;

namespace {

Sample faces() {
  return {.image = ops::zeros({10, 20, 3}),
          .points = Tensor::from(std::vector<float>{4, 3, 15, 3, 10, 6}, {3, 2}),
          .boxes = Tensor::from(std::vector<float>{2, 1, 6, 3}, {1, 4}),
          .box_labels = Tensor(std::vector<int32_t>{5}),
          .box_format = "xywh"};
}

void mirror(Sample& sample, Draws& draws) {
  data::apply(sample, data::mirrored(10, 20, true, false), draws);
}

}  // namespace

TEST_CASE("Places draw numbers of their own") {
  const auto first = [](data::Place place, uint64_t stream = 0) {
    return place.random(stream).bits();
  };
  const uint64_t bits = first({.seed = 1, .epoch = 2, .index = 3});
  CHECK(bits == first({.seed = 1, .epoch = 2, .index = 3}));
  for (const data::Place& other :
       {data::Place{2, 2, 3}, data::Place{1, 3, 3}, data::Place{1, 2, 4}, data::Place{1, 3, 2}})
    CHECK(bits != first(other));
  CHECK(bits != first({.seed = 1, .epoch = 2, .index = 3}, 1));
}

TEST_CASE("Draws have their distributions' means and variances") {
  data::Random random = data::Place{.seed = 7}.random();
  const int n = 20000;
  const auto moments = [&](const std::function<double()>& draw) {
    double sum = 0, squares = 0;
    for (int i = 0; i < n; ++i) {
      const double x = draw();
      sum += x;
      squares += x * x;
    }
    return std::pair{sum / n, squares / n - sum * sum / n / n};
  };
  const auto check = [&](std::pair<double, double> found, double mean, double variance) {
    CHECK(found.first == Approx(mean).margin(5 * std::sqrt(variance / n)));
    CHECK(found.second == Approx(variance).epsilon(0.1));
  };
  check(moments([&] { return random.uniform(2, 4); }), 3, 1.0 / 3);
  check(moments([&] { return random.normal(); }), 0, 1);
  check(moments([&] { return random.gamma(0.4); }), 0.4, 0.4);
  check(moments([&] { return random.gamma(3); }), 3, 3);
  check(moments([&] { return random.beta(2, 3); }), 0.4, 0.04);
  check(moments([&] { return static_cast<double>(random.below(7)); }), 3, 4);
}

TEST_CASE("Mirrored landmarks change names by name or number") {
  const data::AugmentOptions by_name{.point_names = {"left_eye", "right_eye", "nose"}};
  const data::AugmentOptions by_number{.mirrored_points = {1, 0, 2}};
  for (const data::AugmentOptions& options : {by_name, by_number}) {
    const Sample t = data::augment({mirror}, options)(faces(), {});
    CHECK(t.points.to_vector<float>() == std::vector<float>{4, 3, 15, 3, 9, 6});
    CHECK(t.boxes.to_vector<float>() == std::vector<float>{12, 1, 6, 3});
  }
  const Sample plain = data::augment({mirror})(faces(), {});
  CHECK(plain.points.to_vector<float>() == std::vector<float>{15, 3, 4, 3, 9, 6});
  CHECK(test::error_of([] {
          data::augment({mirror}, {.point_names = {"left_eye", "nose"}});
        }).find("right_eye") != std::string::npos);
  CHECK_THROWS_AS(data::augment({mirror}, {.mirrored_points = {1, 2, 0}}), ValueError);
  CHECK_THROWS_AS(data::augment({mirror}, {.mirrored_points = {1, 0}})(faces(), {}), ShapeError);
}

TEST_CASE("What leaves the image is marked and keeps its row") {
  const auto crop = [](Sample& sample, Draws& draws) {
    data::apply(sample, data::window(0, 8, 10, 12), draws);
  };
  const auto back = [](Sample& sample, Draws& draws) {
    data::apply(sample, data::window(0, -8, 10, 20), draws);
  };
  const Sample t = data::augment({crop})(faces(), {});
  CHECK(t.points.to_vector<float>() == std::vector<float>{-4, 3, 7, 3, 2, 6});
  CHECK(t.visible.to_vector<bool>() == std::vector<bool>{false, true, true});
  CHECK(t.box_labels.to_vector<int32_t>() == std::vector<int32_t>{-1});
  // What was cut off does not come back.
  const Sample wide = data::augment({crop, back})(faces(), {});
  CHECK(wide.points.to_vector<float>() == faces().points.to_vector<float>());
  CHECK(wide.visible.to_vector<bool>() == std::vector<bool>{false, true, true});
}

TEST_CASE("Attached tensors follow as they are marked") {
  Sample sample = faces();
  std::vector<float> columns(200);
  for (size_t i = 0; i < 200; ++i) columns[i] = static_cast<float>(i % 20);
  const Tensor ramp = Tensor::from(columns, {10, 20});
  sample.depth = ramp;
  sample.more["volume"] = {ops::stack({ramp, ramp * 2.0}, 0), data::Follow::linear};
  sample.more["volume"].value = ops::expand_dims(sample.more["volume"].value, {-1});
  sample.more["track"] = {sample.points, data::Follow::points};
  sample.more["age"] = {Tensor(std::vector<float>{33}), data::Follow::unchanged};
  const Sample t = data::augment({mirror})(sample, {});
  CHECK(t.depth.values<float>()[0] == 19);
  CHECK(t.more.at("volume").value.shape() == Shape{2, 10, 20, 1});
  CHECK(t.more.at("volume").value.values<float>()[200] == 38);
  CHECK(t.more.at("track").value.values<float>()[0] == 15);
  CHECK(t.more.at("age").value.values<float>()[0] == 33);
}

TEST_CASE("Augmentation refuses samples that make no sense, and leaves them as they were") {
  const data::Augment augment = data::augment({mirror});
  Sample sample = faces();
  sample.source = "faces/1.png";
  sample.image = ops::zeros({10, 20, 3}, DType::float64);
  CHECK(test::error_of([&] { augment(sample, {}); }).find("faces/1.png: image: expected uint8") ==
        0);
  sample = faces();
  sample.points = ops::zeros({3, 3});
  CHECK_THROWS_AS(augment(sample, {}), ShapeError);
  sample = faces();
  sample.mask = ops::zeros({10, 21});
  CHECK(test::error_of([&] { augment(sample, {}); }).find("mask") != std::string::npos);
  // A change by itself is for samples on the host.
  const DeviceScope host(Device::cpu());
  sample = faces();
  const data::AugmentOptions options;
  data::Draws draws(data::Place{}.random(), options);
  sample.depth = ops::zeros({3, 3});
  CHECK_THROWS_AS(mirror(sample, draws), ShapeError);
  CHECK(sample.points.to_vector<float>() == faces().points.to_vector<float>());
}

TEST_CASE("Samples that make no sense are refused whatever is drawn") {
  const data::Augment never = data::augment(
      {[](Sample&, Draws&) {}}, {.attached_point_names = {{"hands", {"left", "right"}}}});
  const auto error_with = [&](const auto& change) {
    Sample sample = faces();
    change(sample);
    return test::error_of([&] { never(sample, {}); });
  };
  const auto has = [](const std::string& text, const char* part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  has(error_with([](Sample& s) {
        s.image = ops::zeros({10, 20});
      }),
      "image: expected shape (h, w, c)");
  has(error_with([](Sample& s) { s.mask = ops::zeros({10, 21}); }), "mask: expected the rows");
  has(error_with([](Sample& s) { s.mask = ops::zeros({1, 10, 20, 1}); }), "mask: expected shape");
  has(error_with([](Sample& s) { s.depth = ops::zeros({20, 10}); }), "depth: expected the rows");
  has(error_with([](Sample& s) { s.box_format = "foo"; }), "'foo' is not known");
  has(error_with([](Sample& s) { s.box_labels = ops::zeros({2}); }),
      "box_labels: expected shape (1)");
  has(error_with([](Sample& s) { s.visible = ops::zeros({2}, DType::boolean); }),
      "visible: expected shape (3)");
  for (const data::Follow follow : {data::Follow::linear, data::Follow::nearest})
    has(error_with([&](Sample& s) {
          s.more["view"] = {ops::zeros({2, 10, 21, 1}), follow};
        }),
        "view: expected the rows");
  has(error_with([](Sample& s) {
        s.more["track"] = {ops::zeros({4, 3}), data::Follow::points};
      }),
      "track: expected points");
  has(error_with([](Sample& s) {
        s.more["hands"] = {ops::zeros({3, 2}), data::Follow::points};
      }),
      "hands: 2 points are named");
  Sample whole = faces();
  whole.mask = ops::zeros({10, 20, 4});
  whole.depth = ops::zeros({10, 20, 1});
  whole.visible = ops::zeros({3}, DType::boolean);
  whole.more["view"] = {ops::zeros({2, 10, 20, 1}), data::Follow::linear};
  whole.more["hands"] = {ops::zeros({5, 2, 2}), data::Follow::points};
  whole.more["age"] = {ops::zeros({7}), data::Follow::unchanged};
  CHECK_NOTHROW(never(whole, {}));
}

TEST_CASE("Maps of places are inverted and composed") {
  const data::Homography turn = {0.8, -0.6, 3, 0.6, 0.8, -2, 0.001, 0.002, 1};
  const data::Homography same = data::composed(turn, data::inverse(turn));
  for (size_t i = 0; i < 9; ++i) CHECK(same[i] == Approx(i % 4 == 0 ? 1 : 0).margin(1e-12));
  const auto map =
      data::homography({{{0, 0}, {9, 0}, {0, 5}, {9, 5}}}, {{{1, 1}, {8, 2}, {-1, 6}, {10, 4}}});
  const auto p = data::mapped(map, 9, 5);
  CHECK(p[0] == Approx(10));
  CHECK(p[1] == Approx(4));
  CHECK_THROWS_AS(data::inverse({1, 2, 0, 2, 4, 0, 0, 0, 1}), ValueError);
}

}  // namespace augment_test
