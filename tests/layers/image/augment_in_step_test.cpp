// What belongs to an image follows it through every augmentation, mixing and those that choose from
// others too: boxes and points against masks drawn from them. Changes are mild enough that boxes
// keep blunt corners: the tip of a sharp one falls between the pixels of a mask.
// CORNU_AUGMENT_DRAWS sets the number of draws of each; 10000 take minutes.
#include <cornu/cornu.h>

#include <cmath>
#include <cstdlib>

#include "../../catch.h"

namespace augment_in_step_test {

using namespace cornu;

namespace {

constexpr int64_t height = 48, width = 64;

int64_t draw_count() {
  const char* const given = std::getenv("CORNU_AUGMENT_DRAWS");
  return given ? std::atoll(given) : 200;
}

struct Case {
  std::string name;
  data::AnyAugmenter change;
};

std::vector<Case> geometric() {
  const std::string fill = "constant";
  return {
      {"RandomFlip", layers::RandomFlip()},
      {"RandomRotation", layers::RandomRotation({.factor = 0.2, .fill_mode = fill})},
      {"RandomTranslation",
       layers::RandomTranslation({.height_factor = 0.3, .width_factor = 0.3, .fill_mode = fill})},
      {"RandomZoom",
       layers::RandomZoom({.height_factor = 0.4, .width_factor = 0.3, .fill_mode = fill})},
      {"RandomShear", layers::RandomShear({.x_factor = 0.15, .y_factor = 0.1, .fill_mode = fill})},
      {"RandomPerspective", layers::RandomPerspective({.scale = 0.3})},
      {"RandomElasticTransform", layers::RandomElasticTransform({.scale = 0.4, .fill_mode = fill})},
      {"RandomGridDistortion", layers::RandomGridDistortion({.fill_mode = fill})},
      {"RandomCrop", layers::RandomCrop({.height = 40, .width = 40})},
      {"CenterCrop", layers::CenterCrop({.height = 40, .width = 50})},
      {"CenterCrop, larger", layers::CenterCrop({.height = 80, .width = 70})},
      {"Resizing", layers::Resizing({.height = 70, .width = 50})},
      {"Resizing, padded",
       layers::Resizing({.height = 70, .width = 50, .pad_to_aspect_ratio = true})},
      {"Resizing, cropped",
       layers::Resizing({.height = 70, .width = 50, .crop_to_aspect_ratio = true})},
      {"RandomResizedCrop", layers::RandomResizedCrop({.height = 56, .width = 60})},
      {"RandomBoxSafeCrop", layers::RandomBoxSafeCrop({.height = 56, .width = 60})},
      {"Letterbox", layers::Letterbox({.height = 64, .width = 64, .fill_value = 0})},
      {"Pipeline", layers::Pipeline({.layers = {layers::RandomFlip(),
                                                layers::RandomTranslation({.height_factor = 0.2,
                                                                           .width_factor = 0.2,
                                                                           .fill_mode = fill}),
                                                layers::RandomBrightness({.factor = 0.3})}})},
  };
}

std::vector<Case> of_colors() {
  return {
      {"RandomBrightness", layers::RandomBrightness({.factor = 0.3})},
      {"RandomContrast", layers::RandomContrast({.factor = 0.5})},
      {"RandomSaturation", layers::RandomSaturation({.factor = 0.4})},
      {"RandomHue", layers::RandomHue({.factor = 0.5})},
      {"RandomColorJitter", layers::RandomColorJitter({.brightness_factor = layers::Numbers(0.2),
                                                       .contrast_factor = layers::Numbers(0.2),
                                                       .saturation_factor = layers::Numbers(0.2),
                                                       .hue_factor = layers::Numbers(0.1)})},
      {"RandomColorDegeneration", layers::RandomColorDegeneration({.factor = 0.5})},
      {"RandomGrayscale", layers::RandomGrayscale({.factor = 0.5})},
      {"RandomInvert", layers::RandomInvert()},
      {"RandomPosterization", layers::RandomPosterization({.factor = std::vector<int64_t>{4}})},
      {"Solarization", layers::Solarization({.threshold_factor = 0.5})},
      {"AutoContrast", layers::AutoContrast()},
      {"Equalization", layers::Equalization()},
      {"CLAHE", layers::ContrastLimitedAdaptiveHistogramEqualization()},
      {"RandomSharpness", layers::RandomSharpness({.factor = 0.8})},
      {"RandomGaussianBlur", layers::RandomGaussianBlur({.kernel_size = 5})},
      {"RandomGaussianNoise", layers::RandomGaussianNoise()},
      {"RandomMotionBlur", layers::RandomMotionBlur()},
      {"RandomJpegCompression", layers::RandomJpegCompression()},
      {"RandomChannelShuffle", layers::RandomChannelShuffle()},
      {"RandomCoarseDropout", layers::RandomCoarseDropout()},
      {"RandomErasing", layers::RandomErasing()},
      {"AugMix", layers::AugMix()},
  };
}

// Two boxes with whole edges, each point in the middle of one, and a mask of both, whose classes
// and labels count from `first` on.
data::Sample sample_of(DType dtype, int first = 1,
                       const std::vector<std::array<int64_t, 4>>& boxes = {{8, 10, 25, 31},
                                                                           {35, 20, 56, 41}}) {
  std::vector<uint8_t> image(height * width * 3), mask(height * width);
  for (size_t i = 0; i < image.size(); ++i) image[i] = static_cast<uint8_t>(i * 37 % 251);
  std::vector<float> sides, points;
  for (size_t b = 0; b < boxes.size(); ++b) {
    const auto [left, top, right, bottom] = boxes[b];
    for (int64_t y = top; y < bottom; ++y)
      for (int64_t x = left; x < right; ++x)
        mask[static_cast<size_t>(y * width + x)] =
            static_cast<uint8_t>(static_cast<int>(b) + first);
    for (int64_t side : boxes[b]) sides.push_back(static_cast<float>(side));
    points.push_back(static_cast<float>(left + right - 1) / 2);
    points.push_back(static_cast<float>(top + bottom - 1) / 2);
  }
  return {.image = ops::cast(Tensor::from(image, {height, width, 3}), dtype),
          .points = Tensor::from(points, {2, 2}),
          .boxes = Tensor::from(sides, {2, 4}),
          .box_labels = Tensor(std::vector<int32_t>{first, first + 1}),
          .mask = Tensor::from(mask, {height, width})};
}

// The edges of the pixels of a class; empty when there are none.
std::optional<std::array<double, 4>> frame_of(const Tensor& mask, uint8_t number) {
  const auto values = mask.values<uint8_t>();
  const int64_t columns = mask.shape()[1];
  std::optional<std::array<double, 4>> frame;
  for (int64_t i = 0; i < mask.size(); ++i) {
    if (values[static_cast<size_t>(i)] != number) continue;
    const auto x = static_cast<double>(i % columns), y = static_cast<double>(i / columns);
    if (!frame) frame = {x, y, x + 1, y + 1};
    *frame = {std::min((*frame)[0], x), std::min((*frame)[1], y), std::max((*frame)[2], x + 1),
              std::max((*frame)[3], y + 1)};
  }
  return frame;
}

}  // namespace

TEST_CASE("Boxes and points follow masks through geometric augmentation") {
  const DType dtype = GENERATE(DType::uint8, DType::float32);
  const data::Sample sample = sample_of(dtype);
  for (const Case& c : geometric()) {
    INFO(c.name);
    const data::Augment augment = data::augment({c.change});
    for (int64_t i = 0; i < draw_count(); ++i) {
      INFO("draw " << i);
      const data::Sample t = augment(sample, {.seed = 3, .epoch = 0, .index = i});
      const auto boxes = t.boxes.values<float>();
      const auto points = t.points.values<float>();
      REQUIRE(t.mask.shape()[0] == t.image.shape()[0]);
      REQUIRE(t.mask.shape()[1] == t.image.shape()[1]);
      for (uint8_t b = 0; b < 2; ++b) {
        const auto frame = frame_of(t.mask, static_cast<uint8_t>(b + 1));
        const float* box = &boxes[4 * b];
        if (!frame) {
          // Of slivers the mask may show no pixel.
          REQUIRE((box[2] - box[0] <= 1 || box[3] - box[1] <= 1));
          continue;
        }
        REQUIRE(t.box_labels.values<int32_t>()[b] == b + 1);
        for (size_t side = 0; side < 4; ++side) {
          INFO("box " << int(b) << " side " << side);
          REQUIRE(std::abs(static_cast<double>(box[side]) - (*frame)[side]) <= 1.01);
        }
        if (t.visible && !t.visible.values<bool>()[b]) continue;
        // The middle of a box lies on its mask.
        const auto x = std::clamp<int64_t>(std::lround(points[2 * b]), 0, t.mask.shape()[1] - 1);
        const auto y =
            std::clamp<int64_t>(std::lround(points[2 * b + 1]), 0, t.mask.shape()[0] - 1);
        REQUIRE(t.mask.values<uint8_t>()[static_cast<size_t>(y * t.mask.shape()[1] + x)] == b + 1);
      }
    }
  }
}

namespace {

// The class of the mask at a point, at the nearest pixel.
int class_at(const data::Sample& sample, size_t point) {
  const auto points = sample.points.values<float>();
  const int64_t h = sample.mask.shape()[0], w = sample.mask.shape()[1];
  const auto x = std::clamp<int64_t>(std::lround(points[2 * point]), 0, w - 1);
  const auto y = std::clamp<int64_t>(std::lround(points[2 * point + 1]), 0, h - 1);
  return sample.mask.values<uint8_t>()[static_cast<size_t>(y * w + x)];
}

// That each box is exactly that of the pixels of its class.
void require_frames(const data::Sample& sample, int count) {
  const auto boxes = sample.boxes.values<float>();
  const auto labels = sample.box_labels.values<int32_t>();
  REQUIRE(labels.size() == static_cast<size_t>(count));
  for (int b = 0; b < count; ++b) {
    INFO("box " << b);
    const auto at = static_cast<size_t>(b);
    const auto frame = frame_of(sample.mask, static_cast<uint8_t>(b + 1));
    REQUIRE(labels[at] == (frame ? b + 1 : -1));
    for (size_t side = 0; side < 4; ++side)
      REQUIRE(static_cast<double>(boxes[4 * at + side]) == (frame ? (*frame)[side] : 0));
  }
}

// That points in the image lie on what they lay on: the first sample's, of classes 1 and 2.
void require_points_on_mask(const data::Sample& sample) {
  const auto visible = sample.visible.values<bool>();
  for (size_t b = 0; b < 2; ++b)
    if (visible[b]) REQUIRE(class_at(sample, b) == static_cast<int>(b) + 1);
}

// Others whose classes count on from those before, as they are taken.
data::Others numbered(const std::shared_ptr<int>& taken, DType dtype) {
  return {.size = 3, .at = [taken, dtype](int64_t i) {
            ++*taken;
            const int64_t x = 7 * i;
            data::Sample other = sample_of(dtype, 2 * *taken + 1,
                                           {{2 + x, 3, 20 + x, 22}, {25 + x, 18, 44 + x, 47}});
            other.label = Tensor(std::vector<float>{0, 1});
            return other;
          }};
}

}  // namespace

TEST_CASE("Boxes and points follow what RandAugment chooses") {
  const DType dtype = GENERATE(DType::uint8, DType::float32);
  const int64_t num_ops = GENERATE(1, 3);
  data::Sample sample = sample_of(dtype);
  // The corners of the boxes as points, which are moved one by one. (0, 0) is a pixel's middle.
  std::vector<float> corners;
  const auto sides = sample.boxes.to_vector<float>();
  for (size_t b = 0; b < 2; ++b)
    for (size_t corner = 0; corner < 4; ++corner) {
      corners.push_back(sides[4 * b + (corner % 2 ? 2 : 0)] - 0.5f);
      corners.push_back(sides[4 * b + (corner / 2 ? 3 : 1)] - 0.5f);
    }
  sample.more["corners"] = {Tensor::from(corners, {2, 4, 2}), data::Follow::points};
  const data::Augment augment =
      data::augment({layers::RandAugment({.num_ops = num_ops, .factor = 0.3})});
  for (int64_t i = 0; i < draw_count(); ++i) {
    INFO("draw " << i << " of " << num_ops);
    const data::Sample t = augment(sample, {.seed = 6, .epoch = 0, .index = i});
    REQUIRE(t.image.spec() == sample.image.spec());
    REQUIRE(t.mask.spec() == sample.mask.spec());
    const auto boxes = t.boxes.values<float>(), moved = t.more.at("corners").value.values<float>();
    const auto points = t.points.values<float>();
    for (size_t b = 0; b < 2; ++b) {
      const float* box = &boxes[4 * b];
      // What was never outside of the image is in its box.
      if (!t.visible || t.visible.values<bool>()[b])
        for (size_t axis = 0; axis < 2; ++axis) {
          REQUIRE(points[2 * b + axis] + 0.5f >= box[axis]);
          REQUIRE(points[2 * b + axis] + 0.5f <= box[axis + 2]);
        }
      if (num_ops > 1) continue;
      std::array<double, 4> frame = {1e9, 1e9, -1e9, -1e9};
      for (size_t corner = 0; corner < 4; ++corner)
        for (size_t axis = 0; axis < 2; ++axis) {
          const double limit = axis ? height : width;
          const double at =
              std::clamp(static_cast<double>(moved[8 * b + 2 * corner + axis]) + 0.5, 0.0, limit);
          frame[axis] = std::min(frame[axis], at);
          frame[axis + 2] = std::max(frame[axis + 2], at);
        }
      const bool gone = frame[0] >= frame[2] || frame[1] >= frame[3];
      REQUIRE((t.box_labels.values<int32_t>()[b] == -1) == gone);
      for (size_t side = 0; side < 4 && !gone; ++side)
        REQUIRE(std::abs(static_cast<double>(box[side]) - frame[side]) <= 1e-3);
    }
    if (t.visible) require_points_on_mask(t);
  }
}

TEST_CASE("AugMix leaves what lies at places where it is") {
  const DType dtype = GENERATE(DType::uint8, DType::float32);
  const data::Sample sample = sample_of(dtype);
  const data::Augment augment = data::augment({layers::AugMix({.factor = 1.0})});
  int64_t changed = 0;
  for (int64_t i = 0; i < draw_count(); ++i) {
    INFO("draw " << i);
    const data::Sample t = augment(sample, {.seed = 7, .epoch = 0, .index = i});
    REQUIRE(t.boxes.to_vector<float>() == sample.boxes.to_vector<float>());
    REQUIRE(t.points.to_vector<float>() == sample.points.to_vector<float>());
    REQUIRE(t.mask.to_vector<uint8_t>() == sample.mask.to_vector<uint8_t>());
    REQUIRE(t.image.spec() == sample.image.spec());
    changed += t.image.to_vector<double>() != sample.image.to_vector<double>();
  }
  CHECK(changed > draw_count() / 2);
}

TEST_CASE("Boxes, points and masks follow samples that are put together") {
  const DType dtype = GENERATE(DType::uint8, DType::float32);
  data::Sample sample = sample_of(dtype);
  sample.label = Tensor(std::vector<float>{1, 0});
  const auto taken = std::make_shared<int>(0);
  const struct {
    std::string name;
    data::AnyAugmenter change;
    int boxes;
  } cases[] = {{"CutMix", layers::CutMix(), 4}, {"Mosaic", layers::Mosaic(), 8}};
  for (const auto& c : cases) {
    INFO(c.name);
    const data::Augment augment = data::augment({c.change}, {.others = numbered(taken, dtype)});
    for (int64_t i = 0; i < draw_count(); ++i) {
      INFO("draw " << i);
      *taken = 0;
      const data::Sample t = augment(sample, {.seed = 8, .epoch = 0, .index = i});
      require_frames(t, c.boxes);
      require_points_on_mask(t);
    }
  }
}

TEST_CASE("MixUp has the boxes of both samples, and the mask of the one with more weight") {
  const DType dtype = GENERATE(DType::uint8, DType::float32);
  data::Sample sample = sample_of(dtype);
  sample.label = Tensor(std::vector<float>{1, 0});
  const auto taken = std::make_shared<int>(0);
  const data::Others others = numbered(taken, dtype);
  const data::Augment augment = data::augment({layers::MixUp({.alpha = 1.0})}, {.others = others});
  int64_t own = 0;
  for (int64_t i = 0; i < draw_count(); ++i) {
    INFO("draw " << i);
    *taken = 0;
    const data::Sample t = augment(sample, {.seed = 9, .epoch = 0, .index = i});
    const double weight = t.label.to_vector<double>()[0];
    REQUIRE(t.box_labels.to_vector<int32_t>() == std::vector<int32_t>{1, 2, 3, 4});
    REQUIRE(t.points.to_vector<float>() == sample.points.to_vector<float>());
    const bool mine = weight >= 0.5;
    own += mine;
    const auto boxes = t.boxes.values<float>();
    for (int b = mine ? 0 : 2; b < (mine ? 2 : 4); ++b) {
      const auto frame = frame_of(t.mask, static_cast<uint8_t>(b + 1));
      REQUIRE(frame);
      for (size_t side = 0; side < 4; ++side)
        REQUIRE(static_cast<double>(boxes[static_cast<size_t>(4 * b) + side]) == (*frame)[side]);
    }
    REQUIRE_FALSE(frame_of(t.mask, mine ? 3 : 1));
  }
  CHECK(own > draw_count() / 4);
  CHECK(own < 3 * draw_count() / 4 + 1);
}

TEST_CASE("What is put together is followed through what comes after") {
  const DType dtype = GENERATE(DType::uint8, DType::float32);
  data::Sample sample = sample_of(dtype);
  sample.label = Tensor(std::vector<float>{1, 0});
  const auto taken = std::make_shared<int>(0);
  const data::Augment augment =
      data::augment({layers::Mosaic(), layers::RandomFlip(), layers::CutMix(), layers::AugMix(),
                     layers::RandomCrop({.height = 40, .width = 50})},
                    {.others = numbered(taken, dtype)});
  for (int64_t i = 0; i < draw_count(); ++i) {
    INFO("draw " << i);
    *taken = 0;
    const data::Sample t = augment(sample, {.seed = 10, .epoch = 0, .index = i});
    const auto boxes = t.boxes.values<float>();
    const auto labels = t.box_labels.values<int32_t>();
    REQUIRE(labels.size() == 10);
    for (size_t b = 0; b < 10; ++b) {
      // A box that a strip hid in part may be cut to where nothing of it shows; else it is that of
      // its pixels, or larger by what lay behind the strip.
      const auto frame = frame_of(t.mask, static_cast<uint8_t>(b + 1));
      if (frame) REQUIRE(labels[b] == static_cast<int32_t>(b) + 1);
      for (size_t side = 0; frame && side < 4; ++side) {
        const double beyond = static_cast<double>(boxes[4 * b + side]) - (*frame)[side];
        REQUIRE((side < 2 ? beyond : -beyond) <= 0);
      }
    }
    require_points_on_mask(t);
  }
}

TEST_CASE("Points follow single pixels through geometric augmentation") {
  // A spot whose brightest pixel is compared with the point.
  data::Sample sample = sample_of(DType::float32);
  const float px = 30, py = 22;
  std::vector<float> image(height * width, 0);
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x) {
      const double d = std::hypot(static_cast<double>(x) - px, static_cast<double>(y) - py);
      image[static_cast<size_t>(y * width + x)] = static_cast<float>(std::max(0.0, 4 - d));
    }
  sample.image = Tensor::from(image, {height, width, 1});
  sample.points = Tensor::from(std::vector<float>{px, py}, {1, 2});
  sample.boxes = {};
  sample.box_labels = {};
  for (const Case& c : geometric()) {
    INFO(c.name);
    const data::Augment augment = data::augment({c.change});
    for (int64_t i = 0; i < draw_count(); ++i) {
      INFO("draw " << i);
      const data::Sample t = augment(sample, {.seed = 4, .epoch = 0, .index = i});
      const auto p = t.points.values<float>();
      const int64_t h = t.image.shape()[0], w = t.image.shape()[1];
      // Whole spots only.
      if (p[0] < 8 || p[1] < 8 || p[0] > static_cast<float>(w - 9) ||
          p[1] > static_cast<float>(h - 9))
        continue;
      const auto values = t.image.values<float>();
      const auto brightest = std::max_element(values.begin(), values.end()) - values.begin();
      const bool near =
          std::abs(static_cast<double>(brightest % w) - static_cast<double>(p[0])) <= 1 &&
          std::abs(static_cast<double>(brightest / w) - static_cast<double>(p[1])) <= 1;
      // Where Keras's elastic field folds or stretches several pixels show the point: it is at one
      // of them. The spot falls off by 1 a pixel.
      const auto at = static_cast<size_t>(std::lround(p[1]) * w + std::lround(p[0]));
      REQUIRE((near || values[static_cast<size_t>(brightest)] - values[at] <= 1));
    }
  }
}

TEST_CASE("Augmentation of colors leaves the rest of a sample alone") {
  const DType dtype = GENERATE(DType::uint8, DType::float32);
  const data::Sample sample = sample_of(dtype);
  for (const Case& c : of_colors()) {
    INFO(c.name);
    const data::Sample t = data::augment({c.change})(sample, {.seed = 5, .epoch = 1, .index = 2});
    CHECK(t.image.spec() == sample.image.spec());
    CHECK(t.boxes.to_vector<float>() == sample.boxes.to_vector<float>());
    CHECK(t.points.to_vector<float>() == sample.points.to_vector<float>());
    CHECK(t.mask.to_vector<uint8_t>() == sample.mask.to_vector<uint8_t>());
    for (double v : ops::cast(t.image, DType::float64).to_vector<double>())
      REQUIRE((v > -1e-3 && v < 255.001));
  }
}

TEST_CASE("Equal places give equal bits, others do not") {
  const data::Sample sample = sample_of(DType::uint8);
  std::vector<Case> cases = geometric();
  for (const Case& c : of_colors()) cases.push_back(c);
  cases.push_back({"RandAugment", layers::RandAugment()});
  for (const Case& c : cases) {
    INFO(c.name);
    const data::Augment augment = data::augment({c.change});
    const data::Place place{.seed = 1, .epoch = 2, .index = 3};
    const auto once = augment(sample, place).image.to_vector<uint8_t>();
    augment(sample, {.seed = 1, .epoch = 2, .index = 4});
    CHECK(augment(sample, place).image.to_vector<uint8_t>() == once);
  }
  const data::Augment noise = data::augment({layers::RandomGaussianNoise()});
  const auto image = [&](int64_t seed, int64_t epoch, int64_t index) {
    return noise(sample, {.seed = seed, .epoch = epoch, .index = index}).image.to_vector<uint8_t>();
  };
  CHECK(image(1, 0, 0) != image(2, 0, 0));
  CHECK(image(1, 0, 0) != image(1, 1, 0));
  CHECK(image(1, 0, 0) != image(1, 0, 1));
}

}  // namespace augment_in_step_test
