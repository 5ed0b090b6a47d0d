// Samples get the numbers that the layers give batches, which other tests compare with Keras's.
#include <cornu/cornu.h>
#include <cornu/layers/image/sample_changes.h>

#include <cmath>
#include <set>

#include "../../catch.h"
#include "../../support/contract.h"

namespace augment_values_test {

using namespace cornu;

namespace {

constexpr int64_t height = 21, width = 30;

Tensor image_of(int64_t channels = 3) {
  std::vector<float> values;
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x)
      for (int64_t c = 0; c < channels; ++c) {
        const auto k = static_cast<double>(c);
        values.push_back(static_cast<float>(
            std::nearbyint(127 + 90 * std::sin(0.31 * static_cast<double>(x) + k) *
                                     std::cos(0.27 * static_cast<double>(y) - k))));
      }
  return Tensor::from(values, {height, width, channels});
}

double largest_difference(const Tensor& a, const Tensor& b) {
  REQUIRE(a.shape() == b.shape());
  const auto x = ops::cast(a, DType::float64).to_vector<double>(),
             y = ops::cast(b, DType::float64).to_vector<double>();
  double most = 0;
  for (size_t i = 0; i < x.size(); ++i) most = std::max(most, std::abs(x[i] - y[i]));
  return most;
}

// Layers whose factors leave nothing to chance.
template <class L>
void check_same(const L& layer, double tolerance = 2e-2, bool bytes_too = true) {
  const Tensor image = image_of();
  const Tensor expected = layer(image, {.training = true});
  const data::Augment augment = data::augment({layer});
  const data::Sample floats = augment({.image = image}, {.seed = 1});
  CHECK(largest_difference(floats.image, expected) <= tolerance);
  if (!bytes_too) return;
  const data::Sample bytes = augment({.image = ops::cast(image, DType::uint8)}, {.seed = 1});
  CHECK(bytes.image.dtype() == DType::uint8);
  CHECK(largest_difference(bytes.image, ops::clip(expected, 0, 255)) <= 0.55);
}

layers::Numbers just(double factor) { return std::vector<double>{factor, factor}; }

}  // namespace

TEST_CASE("Samples are resampled as batches are") {
  const std::string fill = GENERATE("reflect", "nearest", "wrap", "constant");
  INFO(fill);
  check_same(layers::RandomRotation({.factor = just(0.07), .fill_mode = fill, .fill_value = 9}));
  check_same(layers::RandomTranslation({.height_factor = just(0.13),
                                        .width_factor = just(-0.21),
                                        .fill_mode = fill,
                                        .fill_value = 9}));
  check_same(layers::RandomZoom({.height_factor = just(0.3),
                                 .width_factor = just(-0.2),
                                 .fill_mode = fill,
                                 .fill_value = 9}));
}

TEST_CASE("Samples are cropped and resized as batches are") {
  const std::string interpolation =
      GENERATE("nearest", "bilinear", "bicubic", "lanczos3", "lanczos5");
  const bool antialias = GENERATE(false, true);
  INFO(interpolation << (antialias ? ", antialias" : ""));
  for (const auto& [h, w] : {std::pair<int64_t, int64_t>{40, 17}, {13, 44}, {9, 11}})
    check_same(
        layers::Resizing(
            {.height = h, .width = w, .interpolation = interpolation, .antialias = antialias}),
        0.3);
  check_same(layers::Resizing({.height = 24,
                               .width = 24,
                               .interpolation = interpolation,
                               .crop_to_aspect_ratio = true}),
             0.3);
  check_same(layers::Resizing({.height = 24,
                               .width = 24,
                               .interpolation = interpolation,
                               .pad_to_aspect_ratio = true,
                               .fill_value = 50}),
             0.3);
  check_same(layers::CenterCrop({.height = 16, .width = 19}));
}

TEST_CASE("Samples get the colors of batches") {
  check_same(layers::RandomBrightness({.factor = just(0.21)}));
  check_same(layers::RandomSaturation({.factor = just(0.3)}));
  check_same(layers::RandomSaturation({.factor = just(0.7)}), 0.05);
  check_same(layers::RandomColorDegeneration({.factor = just(0.4)}));
  check_same(layers::RandomGrayscale({.factor = 1.0}));
  check_same(layers::RandomInvert({.factor = just(1.0)}));
  check_same(layers::RandomPosterization({.factor = std::vector<int64_t>{3, 3}}));
  check_same(layers::AutoContrast());
  check_same(layers::Equalization());
  check_same(layers::RandomSharpness({.factor = just(0.9)}));
  check_same(
      layers::RandomGaussianBlur({.factor = just(1.0), .kernel_size = {5, 3}, .sigma = just(0.8)}));
  check_same(layers::Rescaling({.scale = 1.0 / 127.5, .offset = -1.0}), 1e-5, false);
}

TEST_CASE("Tiles of samples are equalized as those of batches") {
  for (const double clip : {0.0, 2.0, 4.0})
    check_same(layers::ContrastLimitedAdaptiveHistogramEqualization(
                   {.clip_limit = clip, .tile_grid_size = {3, 4}}),
               0.05);
}

TEST_CASE("A hue is turned to the one side or the other as in batches") {
  const Tensor image = image_of();
  const layers::RandomHue layer({.factor = just(0.4)});
  const data::Augment augment = data::augment({layer});
  // A quarter of the circle back and forth, whatever the side.
  const Tensor there = augment({.image = image}, {.seed = 1}).image;
  double least = 1e9;
  for (int i = 0; i < 20; ++i)
    least = std::min(least, largest_difference(layer(image, {.training = true}), there));
  CHECK(least < 0.05);
}

TEST_CASE("Layers that mix samples take others from their source") {
  data::Sample dark{.image = Tensor::from(std::vector<float>(48, 10), {4, 4, 3}),
                    .mask = Tensor::from(std::vector<uint8_t>(16, 1), {4, 4}),
                    .label = Tensor(std::vector<float>{1, 0})};
  data::Sample light{.image = Tensor::from(std::vector<float>(48, 20), {4, 4, 3}),
                     .mask = Tensor::from(std::vector<uint8_t>(16, 2), {4, 4}),
                     .label = Tensor(std::vector<float>{0, 1})};
  const data::AugmentOptions with_light{
      .others = {.size = 3, .at = [&](int64_t) { return light; }}};
  const data::Augment mix = data::augment({layers::MixUp({.alpha = 1.0})}, with_light);
  const data::Augment cut = data::augment({layers::CutMix()}, with_light);
  for (int64_t i = 0; i < 20; ++i) {
    const data::Sample t = mix(dark, {.seed = 1, .index = i});
    const auto label = t.label.to_vector<float>();
    CHECK(label[0] + label[1] == Approx(1));
    for (float v : t.image.to_vector<float>()) CHECK(v == Approx(10 * label[0] + 20 * label[1]));
    const data::Sample c = cut(dark, {.seed = 1, .index = i});
    double share = 0;
    for (float v : c.image.to_vector<float>()) share += v == 20 ? 1.0 / 48 : 0;
    CHECK(static_cast<double>(c.label.to_vector<float>()[1]) == Approx(share).margin(1e-6));
    CHECK(ops::sum(ops::cast(c.mask, DType::float32)).item() == Approx(16 + 16 * share));
  }
  const data::Augment alone = data::augment({layers::MixUp()});
  CHECK(test::error_of([&] { alone(dark, {}); }).find("others") != std::string::npos);
}

TEST_CASE("Mosaic mixes labels by the areas of its parts") {
  const auto make = [](int64_t i) {
    std::vector<float> label(4, 0);
    label[static_cast<size_t>(i)] = 1;
    return data::Sample{.image = ops::full({20, 24, 3}, static_cast<double>(i)),
                        .label = Tensor(label)};
  };
  const data::AugmentOptions with_others{
      .others = {.size = 3, .at = [&](int64_t i) { return make(i + 1); }}};
  for (const double center : {0.25, 0.0}) {
    const data::Augment mosaic = data::augment({layers::Mosaic({.center = center})}, with_others);
    for (int64_t i = 0; i < 20; ++i) {
      const data::Sample t = mosaic(make(0), {.index = i});
      std::vector<double> shares(4, 0);
      for (const float v : t.image.to_vector<float>())
        shares[static_cast<size_t>(v)] += 1.0 / (20 * 24 * 3);
      const auto label = t.label.to_vector<double>();
      for (size_t c = 0; c < 4; ++c) CHECK(label[c] == Approx(shares[c]).margin(1e-6));
    }
  }
  // As the other layers that mix samples do, it leaves out labels that are not there, and refuses
  // numbers of classes.
  data::Sample sample = make(0);
  sample.label = {};
  const data::Augment mosaic = data::augment({layers::Mosaic()}, with_others);
  CHECK_FALSE(mosaic(sample, {}).label);
  sample.label = Tensor(int32_t{2});
  CHECK(test::error_of([&] { mosaic(sample, {}); }).find("Use ops::one_hot") != std::string::npos);
}

TEST_CASE("Mosaic keeps the boxes of four samples where their images are") {
  const auto make = [](float color) {
    return data::Sample{.image = Tensor::from(std::vector<float>(32 * 32 * 3, color), {32, 32, 3}),
                        .boxes = Tensor::from(std::vector<float>{0, 0, 32, 32}, {1, 4}),
                        .box_labels = Tensor(std::vector<int32_t>{static_cast<int>(color)})};
  };
  const data::Augment mosaic = data::augment(
      {layers::Mosaic()},
      {.others = {.size = 3, .at = [&](int64_t i) { return make(static_cast<float>(i + 2)); }}});
  for (int64_t i = 0; i < 10; ++i) {
    const data::Sample t = mosaic(make(1), {.index = i});
    const auto boxes = t.boxes.values<float>();
    const auto labels = t.box_labels.values<int32_t>();
    REQUIRE(labels.size() == 4);
    double area = 0;
    for (size_t b = 0; b < 4; ++b) {
      const float* box = &boxes[4 * b];
      area += static_cast<double>((box[2] - box[0]) * (box[3] - box[1]));
      const auto x = static_cast<int64_t>(box[0]), y = static_cast<int64_t>(box[1]);
      CHECK(t.image.values<float>()[static_cast<size_t>((y * 32 + x) * 3)] ==
            static_cast<float>(labels[b]));
    }
    CHECK(area == Approx(32 * 32));
  }
}

TEST_CASE("CutMix keeps of boxes what is left of them, and adds those of what is pasted") {
  const auto boxes = [](const std::vector<float>& sides) {
    return Tensor::from(sides, {static_cast<int64_t>(sides.size() / 4), 4});
  };
  // A box of all, one of a corner, one that fills up a batch.
  const data::Sample sample{.image = ops::zeros({32, 32, 3}),
                            .boxes = boxes({0, 0, 32, 32, 0, 0, 4, 4, -1, -1, -1, -1}),
                            .box_labels = Tensor(std::vector<int32_t>{1, 2, -1}),
                            .label = Tensor(std::vector<float>{1, 0})};
  const data::Sample other{.image = ops::ones({32, 32, 3}),
                           .boxes = boxes({0, 0, 32, 32, 28, 28, 4, 4}),
                           .box_labels = Tensor(std::vector<int32_t>{3, 4}),
                           .label = Tensor(std::vector<float>{0, 1}),
                           .box_format = "xywh"};
  const data::Augment cut = data::augment(
      {layers::CutMix()}, {.others = {.size = 1, .at = [&](int64_t) { return other; }}});
  int dropped = 0, pasted = 0;
  for (int64_t i = 0; i < 200; ++i) {
    INFO("draw " << i);
    const data::Sample t = cut(sample, {.seed = 2, .index = i});
    const auto values = t.boxes.to_vector<float>();
    const auto labels = t.box_labels.to_vector<int32_t>();
    REQUIRE(labels.size() == 5);
    const auto box = [&](size_t b) {
      return std::vector<float>(values.begin() + static_cast<ptrdiff_t>(4 * b),
                                values.begin() + static_cast<ptrdiff_t>(4 * b + 4));
    };
    // The pasted rectangle, from the pixels.
    const auto image = t.image.values<float>();
    std::vector<float> area = {32, 32, 0, 0};
    for (int64_t y = 0; y < 32; ++y)
      for (int64_t x = 0; x < 32; ++x) {
        if (image[static_cast<size_t>((y * 32 + x) * 3)] == 0) continue;
        const auto px = static_cast<float>(x), py = static_cast<float>(y);
        area = {std::min(area[0], px), std::min(area[1], py), std::max(area[2], px + 1),
                std::max(area[3], py + 1)};
      }
    const std::vector<float> none(4, 0), fill(4, -1);
    CHECK(box(2) == fill);
    if (area[2] == 0) {
      CHECK(box(0) == std::vector<float>{0, 0, 32, 32});
      CHECK(labels == std::vector<int32_t>{1, 2, -1, -1, -1});
      continue;
    }
    ++pasted;
    CHECK(box(3) == area);
    CHECK(labels[3] == 3);
    // What is left of a box of everything, by the same pixels.
    const bool wide = area[0] == 0 && area[2] == 32, high = area[1] == 0 && area[3] == 32;
    if (wide && high) {
      CHECK(box(0) == none);
      CHECK(labels[0] == -1);
    } else if (wide && (area[1] == 0 || area[3] == 32)) {
      CHECK(box(0) ==
            std::vector<float>{0, area[1] == 0 ? area[3] : 0, 32, area[1] == 0 ? 32 : area[1]});
    } else if (!high) {
      CHECK(box(0) == std::vector<float>{0, 0, 32, 32});
    }
    const bool covered = area[0] == 0 && area[1] == 0 && area[2] >= 4 && area[3] >= 4;
    dropped += covered;
    CHECK((labels[1] == -1) == covered);
    if (covered) CHECK(box(1) == none);
    const bool corner = area[2] > 28 && area[3] > 28;
    CHECK((labels[4] == 4) == corner);
  }
  CHECK(pasted > 100);
  CHECK(dropped > 5);
}

TEST_CASE("A rectangle that covers a side of a box leaves the rest of it") {
  using layers::Area;
  const DeviceScope host(Device::cpu());  // as data::Augment has it
  const auto covered = [](const Area& area, std::vector<float> box = {10, 10, 20, 30}) {
    data::Sample sample{.image = ops::zeros({40, 40, 3}),
                        .points = Tensor::from({12.0f, 12.0f}, {1, 2}),
                        .boxes = Tensor::from(box, {1, 4}),
                        .box_labels = Tensor(std::vector<int32_t>{5})};
    layers::cover_area(sample, area);
    auto values = sample.boxes.to_vector<float>();
    values.push_back(sample.box_labels.to_vector<float>()[0]);
    values.push_back(sample.visible.to_vector<float>()[0]);
    return values;
  };
  using V = std::vector<float>;
  CHECK(covered({0, 0, 15, 40}) == V{10, 15, 20, 30, 5, 0});    // the upper part
  CHECK(covered({25, 5, 15, 20}) == V{10, 10, 20, 25, 5, 1});   // the lower part
  CHECK(covered({0, 0, 40, 13}) == V{13, 10, 20, 30, 5, 0});    // the left part
  CHECK(covered({10, 18, 20, 10}) == V{10, 10, 18, 30, 5, 1});  // the right part
  CHECK(covered({15, 0, 5, 40}) == V{10, 10, 20, 30, 5, 1});    // a strip through the middle
  CHECK(covered({0, 0, 15, 15}) == V{10, 10, 20, 30, 5, 0});    // a corner
  CHECK(covered({10, 10, 20, 10}) == V{0, 0, 0, 0, -1, 0});     // all of it
  CHECK(covered({0, 0, 0, 0}) == V{10, 10, 20, 30, 5, 1});      // nothing
}

TEST_CASE("Depth and attached pictures are pasted with the image") {
  const auto make = [](float value) {
    return data::Sample{
        .image = ops::full({16, 16, 3}, value),
        .depth = ops::full({16, 16}, value),
        .more = {{"classes",
                  {ops::cast(ops::full({16, 16}, value), DType::int32), data::Follow::nearest}},
                 {"volume", {ops::full({2, 16, 16, 1}, value), data::Follow::linear}}}};
  };
  const data::Sample other = make(2);
  const data::AugmentOptions with_other{
      .others = {.size = 1, .at = [&](int64_t) { return other; }}};
  for (const data::AnyAugmenter& layer :
       {data::AnyAugmenter(layers::CutMix()), data::AnyAugmenter(layers::Mosaic())})
    for (int64_t i = 0; i < 10; ++i) {
      const data::Sample t = data::augment({layer}, with_other)(make(1), {.index = i});
      const Tensor image = ops::squeeze(ops::split(t.image, 3, -1)[0], -1);
      CHECK(largest_difference(t.depth, image) == 0);
      CHECK(largest_difference(t.more.at("classes").value, image) == 0);
      for (int64_t slice = 0; slice < 2; ++slice)
        CHECK(largest_difference(ops::squeeze(t.more.at("volume").value[slice], -1), image) == 0);
    }
  data::Sample plain = make(1);
  plain.depth = {};
  CHECK(test::error_of([&] {
          data::augment({layers::CutMix()},
                        {.others = {.size = 1, .at = [&](int64_t) { return plain; }}})(make(1), {});
        }).find("depth") != std::string::npos);
}

TEST_CASE("MixUp mixes depth and attached linear pictures as the image, and no classes") {
  const DType dtype = GENERATE(DType::uint8, DType::float32);
  const auto make = [&](float value) {
    const auto classes = [&] { return ops::cast(ops::full({8, 8}, value), DType::int32); };
    const Tensor probabilities = Tensor::from({value == 10 ? 1.0f : 0.0f}, {1});
    return data::Sample{
        .image = ops::cast(ops::full({8, 8, 3}, value), dtype),
        .points = Tensor::from({value, value}, {1, 2}),
        .mask = classes(),
        .depth = ops::full({8, 8}, value),
        .label = probabilities,
        .more = {{"view", {ops::cast(ops::full({8, 8, 1}, value), dtype), data::Follow::linear}},
                 {"volume", {ops::full({2, 8, 8, 1}, value), data::Follow::linear}},
                 {"classes", {classes(), data::Follow::nearest}},
                 {"corners", {Tensor::from({value, value}, {1, 2}), data::Follow::points}},
                 {"id", {Tensor(static_cast<int64_t>(value)), data::Follow::unchanged}}}};
  };
  const data::Sample sample = make(10);
  data::Sample other = make(200);
  const data::Augment mix =
      data::augment({layers::MixUp({.alpha = 1.0})},
                    {.others = {.size = 1, .at = [&](int64_t) { return other; }}});
  // The value of all pixels, whose sums may be rounded in other ways at the end of a row.
  const auto all_of = [](const Tensor& t) {
    const auto values = t.to_vector<double>();
    for (const double v : values) REQUIRE(std::abs(v - values[0]) < 1e-4);
    return values[0];
  };
  for (int64_t i = 0; i < 20; ++i) {
    const data::Sample t = mix(sample, {.index = i});
    const double weight = t.label.to_vector<double>()[0];
    const double mean = 10 * weight + 200 * (1 - weight), whole = weight >= 0.5 ? 10 : 200;
    INFO("weight " << weight);
    const double step = dtype == DType::uint8 ? 0.51 : 1e-3;
    CHECK(std::abs(all_of(t.image) - mean) < step);
    CHECK(std::abs(all_of(t.more.at("view").value) - all_of(t.image)) < 1e-4);
    CHECK(std::abs(all_of(t.depth) - mean) < 1e-3);
    CHECK(std::abs(all_of(t.more.at("volume").value) - all_of(t.depth)) < 1e-4);
    CHECK(t.more.at("volume").value.shape() == Shape{2, 8, 8, 1});
    CHECK(all_of(t.mask) == whole);
    CHECK(all_of(t.more.at("classes").value) == whole);
    CHECK(all_of(t.points) == 10);
    CHECK(all_of(t.more.at("corners").value) == 10);
    CHECK(all_of(t.more.at("id").value) == 10);
  }
  // Neither sample has changed, and one that lacks a picture is an error.
  CHECK(all_of(sample.depth) == 10);
  CHECK(all_of(other.depth) == 200);
  const auto error = [&] { return test::error_of([&] { mix(sample, {}); }); };
  other.more.erase("view");
  CHECK(error().find("view: samples that are mixed") != std::string::npos);
  other = make(200);
  other.depth = ops::zeros({8, 9});
  CHECK(error().find("depth: samples that are mixed") != std::string::npos);
  CHECK(all_of(sample.image) == 10);
}

TEST_CASE("AugMix moves no pixel of a sample that has something at places") {
  // Two halves, each of one gray level: changes of colors keep them so.
  std::vector<float> values;
  for (int64_t i = 0; i < 20 * 20 * 3; ++i) values.push_back(i / 3 % 20 < 10 ? 60.0f : 180.0f);
  const data::Sample bare{.image = Tensor::from(values, {20, 20, 3})};
  data::Sample points = bare, mask = bare, attached = bare;
  points.points = Tensor::from({9.0f, 9.0f}, {1, 2});
  mask.mask = ops::zeros({20, 20}, DType::uint8);
  attached.more["heat"] = {ops::zeros({20, 20}), data::Follow::linear};
  data::Sample numbered = bare;
  numbered.more["id"] = {Tensor(3), data::Follow::unchanged};
  const data::Augment augment =
      data::augment({layers::AugMix({.factor = std::vector<double>{0.9, 1.0}, .all_ops = false})});
  const auto moved = [&](const data::Sample& sample) {
    int64_t count = 0;
    for (int64_t i = 0; i < 40; ++i) {
      const auto image = augment(sample, {.seed = 9, .index = i}).image.to_vector<float>();
      bool flat = true;
      for (size_t k = 0; k < image.size(); k += 3) {
        const size_t first = k / 3 % 20 < 10 ? 0 : 30;
        flat &= std::abs(image[k] - image[first]) < 1e-3f;
      }
      count += !flat;
    }
    return count;
  };
  CHECK(moved(bare) > 10);
  CHECK(moved(numbered) > 10);
  for (const data::Sample& sample : {points, mask, attached}) CHECK(moved(sample) == 0);
  // They still change colors.
  CHECK(largest_difference(augment(points, {.seed = 9, .index = 1}).image, bare.image) > 1);
}

TEST_CASE("Attached points change sides in mirrored images as points do") {
  const data::Augment flip =
      data::augment({layers::RandomFlip({.mode = "horizontal"})},
                    {.point_names = {"left_eye", "nose", "right_eye"},
                     .attached_point_names = {{"hands", {"left", "right"}}}});
  const auto rows = [](const std::vector<float>& xs, const Shape& shape) {
    std::vector<float> values;
    for (const float x : xs) values.insert(values.end(), {x, x + 1});
    return Tensor::from(values, shape);
  };
  const auto follow = data::Follow::points;
  const data::Sample sample{
      .image = ops::zeros({10, 21, 3}),
      .points = rows({2, 4, 6}, {3, 2}),
      .more = {{"face", {rows({2, 4, 6}, {3, 2}), follow}},
               {"track", {rows({2, 4, 6, 3, 5, 7}, {2, 3, 2}), follow}},
               {"hands", {rows({1, 8}, {2, 2}), follow}},
               {"middle", {rows({5}, {2}), follow}},
               {"other", {rows({1, 2, 3, 4}, {4, 2}), follow}},
               {"numbers", {rows({2, 4, 6}, {3, 2}), data::Follow::unchanged}}}};
  const auto xs = [](const Tensor& points) {
    std::vector<float> all = points.to_vector<float>(), result;
    for (size_t i = 0; i < all.size(); i += 2) result.push_back(all[i]);
    return result;
  };
  using V = std::vector<float>;
  int mirrored = 0;
  for (int64_t i = 0; i < 20; ++i) {
    const data::Sample t = flip(sample, {.seed = 1, .index = i});
    const auto of = [&](const char* name) { return xs(t.more.at(name).value); };
    CHECK(of("face") == xs(t.points));
    CHECK(of("numbers") == V{2, 4, 6});
    if (xs(t.points) == V{2, 4, 6}) continue;
    ++mirrored;
    CHECK(xs(t.points) == V{14, 16, 18});
    CHECK(of("track") == V{14, 16, 18, 13, 15, 17});
    CHECK(of("hands") == V{12, 19});
    CHECK(of("middle") == V{15});
    CHECK(of("other") == V{19, 18, 17, 16});
  }
  CHECK(mirrored > 3);
  CHECK(test::error_of([] {
          data::augment({layers::RandomFlip()}, {.attached_point_names = {{"hands", {"left"}}}});
        }).find("attached_point_names") != std::string::npos);
  data::Sample three = sample;
  three.more["hands"].value = rows({1, 2, 3}, {3, 2});
  CHECK(test::error_of([&] {
          for (int64_t i = 0; i < 20; ++i) flip(three, {.seed = 1, .index = i});
        }).find("hands: 2 points are named in the options, found 3") != std::string::npos);
}

TEST_CASE("Letterbox and Mosaic pad masks and depth with 0") {
  const Tensor ones = ops::ones({height, width});
  const data::Sample sample{
      .image = image_of(),
      .mask = ops::cast(ones, DType::uint8),
      .depth = ones,
      .more = {{"classes", {ops::cast(ones, DType::int32), data::Follow::nearest}},
               {"view", {image_of(), data::Follow::linear}}}};
  const data::Sample boxed =
      data::augment({layers::Letterbox({.height = 64, .width = 60})})(sample, {.seed = 1});
  const auto values = [](const Tensor& x) {
    const std::vector<double> v = ops::cast(x, DType::float64).to_vector<double>();
    return std::set<double>(v.begin(), v.end());
  };
  CHECK(boxed.image[0][0][0].item() == 114);
  CHECK(boxed.more.at("view").value[0][0][0].item() == 114);
  for (const Tensor& x : {boxed.mask, boxed.depth, boxed.more.at("classes").value})
    CHECK(values(x) == std::set<double>{0, 1});
  // A smaller picture beside the others leaves room.
  const data::Sample small{.image = ops::ones({5, 5, 3}), .mask = ops::ones({5, 5})};
  const data::Sample large{.image = image_of(), .mask = ones};
  const auto mixed = data::augment({layers::Mosaic()},
                                   {.others = {.size = 1, .at = [&](int64_t) { return small; }}})(
      large, {.seed = 1});
  CHECK(values(mixed.mask) == std::set<double>{0, 1});
}

TEST_CASE("New layers change batches, images and masks alike") {
  const layers::RandomGridDistortion layer({.seed = 3, .bounding_box_format = "xyxy"});
  const Tensor images = ops::stack({image_of(), image_of()}, 0);
  const Nest out =
      layer(Nest::dict({{"images", images}, {"segmentation_masks", images}}), {.training = true});
  CHECK(out["images"].tensor().shape() == images.shape());
  CHECK(largest_difference(out["images"].tensor()[0], out["images"].tensor()[1]) > 1);
  CHECK(largest_difference(out["images"].tensor(), out["segmentation_masks"].tensor()) < 60);
  CHECK(layers::Letterbox({.height = 50, .width = 40})(images).shape() == Shape{2, 50, 40, 3});
  CHECK(layers::Letterbox({.height = 50, .width = 40})->compute_output_shape({2, 21, 30, 3}) ==
        Shape{2, 50, 40, 3});
  CHECK(largest_difference(layer(images, {.training = false}), images) == 0);
}

}  // namespace augment_values_test
