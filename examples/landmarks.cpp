// Finds the landmarks of faces (eyes, nose, corners of the mouth) as the peaks of heat maps. Shows
// a model, a layer, a loss and a metric of one's own, registered so that the file of the trained
// model holds them: it is loaded, predicts the same, and training goes on from it.
// Usage: example_landmarks [--full]. Prints the mean error in pixels; exit status 1 if it is large.
#include <cornu/cornu.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string_view>

using namespace cornu;

constexpr int64_t image_size = 32, map_size = 16, point_count = 5;

// Features to a map for each point, whose peak is 1.
struct HeatMapsConfig {
  Required<int64_t> points;
  int64_t hidden = 32;
};

class HeatMapsLayer : public LayerOf<HeatMapsLayer, HeatMapsConfig> {
 public:
  using LayerOf::LayerOf;
  Tensor call(const Tensor& x, const Call&) override { return maps(hidden(x)); }

 private:
  layers::Conv2D hidden = track(
      "hidden", layers::Conv2D({.filters = config.hidden, .kernel_size = 1, .activation = "relu"}));
  layers::Conv2D maps = track("maps", layers::Conv2D({.filters = config.points, .kernel_size = 1}));
};
using HeatMaps = Ref<HeatMapsLayer>;
CORNU_REGISTER("landmarks>HeatMaps", HeatMapsLayer);

// Squared error in which the peaks weigh more than the empty rest of the maps.
struct PeakErrorConfig {
  double peak_weight = 20;
  std::string reduction = "sum_over_batch_size";
  std::string name = "peak_error";
};

class PeakErrorLoss : public LossOf<PeakErrorLoss, PeakErrorConfig> {
 public:
  using LossOf::LossOf;
  Tensor call(const Tensor& y_true, const Tensor& y_pred) override {
    const Tensor weight = 1 + config.peak_weight * y_true;
    return ops::mean(weight * ops::square(y_true - y_pred), {1, 2, 3});
  }
};
using PeakError = Ref<PeakErrorLoss>;
CORNU_REGISTER("landmarks>PeakError", PeakErrorLoss);

// Heat maps (batch, height, width, points) to the places of their peaks (batch, points, 2), in
// pixels of the image.
Tensor points_of(const Tensor& maps) {
  const Tensor sharp = ops::power(maps, 4);
  const Tensor share = sharp / ops::sum(sharp, {1, 2}, true);
  const Tensor places = (ops::arange(map_size, DType::float32) + 0.5) * (image_size / map_size);
  return ops::stack(
      {ops::einsum("bhwp,w->bp", {share, places}), ops::einsum("bhwp,h->bp", {share, places})}, -1);
}

// The mean distance of the peaks.
struct PixelErrorConfig {
  std::string name = "pixels";
  OptionalDType dtype = {};
};

class PixelErrorMetric : public MetricOf<PixelErrorMetric, PixelErrorConfig, metrics::MeanOf> {
 public:
  using MetricOf::MetricOf;
  Tensor values(const Tensor& y_true, const Tensor& y_pred) override {
    return ops::mean(ops::norm(points_of(y_true) - points_of(y_pred), {}, {{-1}}), -1);
  }
};
using PixelError = Ref<PixelErrorMetric>;
CORNU_REGISTER("landmarks>PixelError", PixelErrorMetric);

layers::Conv2D conv(int64_t filters, int64_t strides = 1) {
  return layers::Conv2D({.filters = filters,
                         .kernel_size = 3,
                         .strides = strides,
                         .padding = "same",
                         .activation = "relu"});
}

// Looks at the image in two sizes: the small one tells where the face is, the large one where
// exactly an eye.
class FaceNet : public Model {
 public:
  Tensor call(const Tensor& image, const Call&) override {
    const Tensor fine = stem(image);
    const Tensor coarse = wide(middle(down(fine)));
    return head(join({fine, up(coarse)}));
  }

 private:
  layers::Conv2D stem = track("stem", conv(16, 2));
  layers::Conv2D down = track("down", conv(32, 2));
  layers::Conv2D middle = track("middle", conv(32));
  layers::Conv2D wide = track("wide", conv(32));
  layers::UpSampling2D up = track("up", layers::UpSampling2D({.interpolation = "bilinear"}));
  layers::Concatenate join = track("join", layers::Concatenate());
  HeatMaps head = track("head", HeatMaps({.points = point_count}));
};
CORNU_REGISTER("landmarks>FaceNet", FaceNet);

// Draws faces of any place, size and tilt, and the heat maps of their landmarks.
datasets::Data faces(int64_t count, unsigned seed) {
  constexpr float points[point_count][2] = {
      {-0.35f, -0.3f}, {0.35f, -0.3f}, {0, 0.1f}, {-0.3f, 0.5f}, {0.3f, 0.5f}};
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  const auto blob = [](float dx, float dy, float width) {
    return std::exp(-(dx * dx + dy * dy) / (2 * width * width));
  };
  std::vector<float> images, maps;
  for (int64_t i = 0; i < count; ++i) {
    const float size = 10 + 2 * uniform(random), tilt = 0.4f * uniform(random);
    const float left = 16 + 4 * uniform(random), top = 16 + 4 * uniform(random);
    const float cosine = std::cos(tilt) * size, sine = std::sin(tilt) * size;
    const auto place = [&](const float(&p)[2]) {
      return std::pair(left + cosine * p[0] - sine * p[1], top + sine * p[0] + cosine * p[1]);
    };
    for (float y = 0.5f; y < image_size; ++y)
      for (float x = 0.5f; x < image_size; ++x) {
        const float across = (cosine * (x - left) + sine * (y - top)) / (size * size);
        const float along = (cosine * (y - top) - sine * (x - left)) / (size * size);
        float light = across * across / 0.64f + along * along < 1 ? 0.8f : 0.3f;
        for (const auto& p : points) light -= 0.6f * blob(across - p[0], along - p[1], 0.1f);
        images.push_back(light + 0.1f * uniform(random));
      }
    for (float y = 1; y < image_size; y += 2)
      for (float x = 1; x < image_size; x += 2)
        for (const auto& p : points) {
          const auto [px, py] = place(p);
          maps.push_back(blob(x - px, y - py, 2));
        }
  }
  return {Tensor::from(images, {count, image_size, image_size, 1}),
          Tensor::from(maps, {count, map_size, map_size, point_count})};
}

int main(int argc, char** argv) {
  const bool full = argc > 1 && std::string_view(argv[1]) == "--full";
  random::set_seed(1);
  const datasets::Data train = faces(full ? 8000 : 600, 1), test = faces(200, 2);
  const EvaluateOptions silent{.verbose = Verbose::silent};

  FaceNet model;
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 2e-3}),
                 .loss = PeakError(),
                 .metrics = {PixelError()}});
  const int64_t epochs = full ? 20 : 8;
  // Its curves and its graph: tensorboard --logdir out/landmarks
  const Callbacks callbacks = {callbacks::CSVLogger({.filename = "out/landmarks.csv"}),
                               callbacks::TensorBoard({.log_dir = "out/landmarks"})};
  model.fit(train.x, train.y, {.epochs = epochs, .callbacks = callbacks});
  model.summary();

  const char* file = "out/landmarks.keras";
  model.save(file);
  const auto loaded = load_model(file);
  const double saved = model.evaluate(test.x, test.y, silent).at("pixels");
  const double opened = loaded->evaluate(test.x, test.y, silent).at("pixels");

  loaded->fit(train.x, train.y, {.epochs = epochs + 2, .initial_epoch = epochs});
  const double last = loaded->evaluate(test.x, test.y, silent).at("pixels");
  std::printf("pixels off: %.3f when saved, %.3f from the file, %.3f after training on\n", saved,
              opened, last);

  const Tensor found = points_of(loaded->predict(take_rows(test.x, 0, 1)));
  const Tensor right = points_of(take_rows(test.y, 0, 1));
  std::printf("found %s\nright %s\n", found.str().c_str(), right.str().c_str());
  return saved == opened && last < 2 ? 0 : 1;
}
