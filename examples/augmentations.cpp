// Draws what each image layer does to one sample, with its box, landmarks and mask:
// out/augmentations.png, which docs/augmentation.md shows. Usage: example_augmentations [FILE.png]
// Checks that each layer changes the image, and that the same places give the same sheet.
#include <cornu/cornu.h>
#include <cornu/framework/data/show.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string_view>

using namespace cornu;

namespace {

constexpr int64_t size = 96;

struct Row {
  const char* name;
  data::AnyAugmenter change;
};

layers::Numbers always() { return std::vector<double>{1, 1}; }
layers::Numbers just(double factor) { return std::vector<double>{factor, factor}; }

// Kept in its order of themes, as on the sheet.
std::vector<Row> rows() {
  const auto weak = layers::Numbers(0.35);
  return {
      {"RandomFlip", layers::RandomFlip({.mode = "horizontal"})},
      {"RandomRotation", layers::RandomRotation({.factor = just(0.08), .fill_mode = "constant"})},
      {"RandomTranslation",
       layers::RandomTranslation(
           {.height_factor = just(0.15), .width_factor = just(-0.2), .fill_mode = "constant"})},
      {"RandomZoom", layers::RandomZoom({.height_factor = just(0.3), .fill_mode = "constant"})},
      {"RandomShear",
       layers::RandomShear({.x_factor = just(0.3), .y_factor = 0.0, .fill_mode = "constant"})},
      {"RandomPerspective", layers::RandomPerspective({.factor = always(), .scale = 0.6})},
      {"RandomElasticTransform",
       layers::RandomElasticTransform({.factor = always(), .scale = just(0.9)})},
      {"RandomGridDistortion", layers::RandomGridDistortion({.factor = always()})},
      {"RandomCrop", layers::RandomCrop({.height = 64, .width = 64})},
      {"RandomResizedCrop", layers::RandomResizedCrop({.height = size, .width = size})},
      {"RandomBoxSafeCrop", layers::RandomBoxSafeCrop({.height = size, .width = size})},
      {"CenterCrop", layers::CenterCrop({.height = 64, .width = 64})},
      {"Resizing", layers::Resizing({.height = 40, .width = 64})},
      {"Letterbox", layers::Letterbox({.height = size, .width = 64})},
      {"RandomBrightness", layers::RandomBrightness({.factor = just(0.3)})},
      {"RandomContrast", layers::RandomContrast({.factor = 0.8})},
      {"RandomSaturation", layers::RandomSaturation({.factor = just(0.9)})},
      {"RandomHue", layers::RandomHue({.factor = just(0.8)})},
      {"RandomColorJitter", layers::RandomColorJitter({.brightness_factor = weak,
                                                       .contrast_factor = weak,
                                                       .saturation_factor = weak,
                                                       .hue_factor = weak})},
      {"RandomColorDegeneration", layers::RandomColorDegeneration({.factor = just(0.7)})},
      {"RandomGrayscale", layers::RandomGrayscale({.factor = 1.0})},
      {"RandomInvert", layers::RandomInvert({.factor = always()})},
      {"RandomPosterization", layers::RandomPosterization({.factor = std::vector<int64_t>{2, 2}})},
      {"Solarization", layers::Solarization({.threshold_factor = 0.5})},
      {"AutoContrast", layers::AutoContrast()},
      {"Equalization", layers::Equalization()},
      {"CLAHE", layers::ContrastLimitedAdaptiveHistogramEqualization()},
      {"RandomSharpness", layers::RandomSharpness({.factor = just(0.9)})},
      {"RandomGaussianBlur",
       layers::RandomGaussianBlur({.factor = always(), .kernel_size = 7, .sigma = just(1)})},
      {"RandomMotionBlur", layers::RandomMotionBlur({.factor = always(), .kernel_size = {9, 9}})},
      {"RandomGaussianNoise",
       layers::RandomGaussianNoise({.factor = always(), .stddev = just(0.12)})},
      {"RandomJpegCompression",
       layers::RandomJpegCompression({.factor = always(), .quality = {8, 8}})},
      {"RandomChannelShuffle", layers::RandomChannelShuffle({.factor = always()})},
      {"RandomErasing", layers::RandomErasing({.factor = always(), .scale = {0.05, 0.15}})},
      {"RandomCoarseDropout", layers::RandomCoarseDropout({.factor = always()})},
      {"AugMix", layers::AugMix({.factor = 0.7})},
      {"RandAugment", layers::RandAugment()},
      {"MixUp", layers::MixUp({.alpha = 5})},
      {"CutMix", layers::CutMix()},
      {"Mosaic", layers::Mosaic()},
  };
}

struct Color {
  double red, green, blue;
};

// A house below a sky, or at night: at (x, y), both from 0 to 1.
Color color_at(double x, double y, bool night, uint8_t& thing) {
  const bool wall = x > 0.3 && x < 0.72 && y > 0.5 && y < 0.82;
  const bool roof = y > 0.3 && y <= 0.5 && std::abs(x - 0.51) < 0.28 * (y - 0.3) / 0.2;
  const bool door = x > 0.38 && x < 0.48 && y > 0.62 && y < 0.82;
  const bool window = x > 0.56 && x < 0.66 && y > 0.58 && y < 0.68;
  thing = wall || roof ? 1 : 0;
  if (window) return {250, 235, 130};
  if (door) return {95, 60, 40};
  if (wall) return {205, 180 - 40 * x, 150};
  if (roof) return {170, 60 + 40 * x, 50};
  if (std::hypot(x - 0.83, y - 0.17) < 0.09)
    return {255, night ? 250.0 : 225.0, night ? 220.0 : 90.0};
  const double meadow = 0.72 + 0.05 * std::sin(9 * x);
  if (y > meadow) return {60 + 60 * y, 150 - 40 * (y - meadow), 60};
  return night ? Color{20, 25 + 30 * y, 70 + 60 * y} : Color{120 + 90 * y, 175 + 50 * y, 245};
}

data::Sample picture(bool night, int32_t label) {
  std::vector<uint8_t> pixels, mask;
  for (int64_t row = 0; row < size; ++row)
    for (int64_t column = 0; column < size; ++column) {
      const auto share = [](int64_t at) { return (static_cast<double>(at) + 0.5) / size; };
      uint8_t thing = 0;
      const Color c = color_at(share(column), share(row), night, thing);
      for (const double level : {c.red, c.green, c.blue})
        pixels.push_back(static_cast<uint8_t>(level));
      mask.push_back(thing);
    }
  const auto side = static_cast<float>(size);
  return {.image = Tensor::from(pixels, {size, size, 3}),
          .points = Tensor::from(std::vector<float>{0.43f * side, 0.62f * side, 0.61f * side,
                                                    0.63f * side, 0.51f * side, 0.3f * side},
                                 {3, 2}),
          .boxes = Tensor::from(
              std::vector<float>{0.23f * side, 0.3f * side, 0.79f * side, 0.82f * side}, {1, 4}),
          .mask = Tensor::from(mask, {size, size}),
          .label = Tensor::from({label}, Shape{})};
}

bool differ(const Tensor& a, const Tensor& b) {
  return a.shape() != b.shape() || a.to_vector<uint8_t>() != b.to_vector<uint8_t>();
}

// One sample for each row, behind the one that all of them get. MixUp, CutMix and Mosaic mix
// labels, which the names of the rows stand for here.
std::vector<data::Sample> changed(const std::vector<Row>& all) {
  std::vector<data::Sample> samples = {picture(false, 0)};
  for (size_t i = 0; i < all.size(); ++i) {
    // CutMix takes no boxes: of pasted parts nobody can tell whose they are.
    const bool boxes = std::string_view(all[i].name) != "CutMix";
    const auto given = [boxes](bool night) {
      data::Sample sample = picture(night, 0);
      sample.label = nullptr;
      if (!boxes) sample.boxes = nullptr;
      return sample;
    };
    const data::Augment augment = data::augment(
        {all[i].change}, {.others = {.size = 1, .at = [&](int64_t) { return given(true); }}});
    data::Sample sample = augment(given(false), {.seed = 2, .index = static_cast<int64_t>(i)});
    sample.label = Tensor::from({static_cast<int32_t>(i + 1)}, Shape{});
    samples.push_back(std::move(sample));
  }
  return samples;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = argc > 1 ? argv[1] : "out/augmentations.png";
  if (const auto folder = std::filesystem::path(path).parent_path(); !folder.empty())
    std::filesystem::create_directories(folder);
  const std::vector<Row> all = rows();
  const std::vector<data::Sample> samples = changed(all);
  data::ShowOptions options{.columns = 6, .size = 144, .classes = {"the sample"}};
  for (const Row& row : all) options.classes.push_back(row.name);
  int same = 0;
  for (size_t i = 1; i < samples.size(); ++i)
    if (!differ(samples[i].image, samples[0].image)) {
      std::printf("%s changed nothing\n", options.classes[i].c_str());
      ++same;
    }
  const Tensor sheet = data::draw(samples, options);
  const bool repeats = !differ(sheet, data::draw(changed(all), options));
  data::show(samples, path, options);
  std::printf("%s: %zu changes, %lld x %lld pixels; %s\n", path.c_str(), all.size(),
              static_cast<long long>(sheet.shape()[1]), static_cast<long long>(sheet.shape()[0]),
              repeats ? "the same each time" : "ANOTHER each time");
  return same == 0 && repeats ? 0 : 1;
}
