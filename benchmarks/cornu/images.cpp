// Reading of training images: files in memory -> random crop -> mirror -> normalize -> batch.
#include <cornu/framework/data/images/decode_crop.h>
#include <cornu/framework/data/images/resample.h>

#include <algorithm>
#include <ctime>
#include <random>

#include "workloads.h"

namespace cornu::bench {
namespace {

constexpr int64_t height = 375, width = 500;
constexpr int images = 128;

// Time of this thread alone: other programs do not count.
double core_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// A photograph's worth of colors with a camera's worth of noise, about 60 KB as a file.
std::string make_file(std::mt19937& random) {
  std::uniform_int_distribution<int> level(0, 254);
  io::Image small{24, 32, 3};
  for (size_t i = 0; i < small.size(); ++i)
    small.pixels.push_back(static_cast<uint8_t>(level(random)));
  io::Image image = data::resample(small, height, width, "bicubic");
  std::normal_distribution<double> noise(0, 6);
  for (uint8_t& value : image.pixels)
    value = static_cast<uint8_t>(std::clamp(static_cast<int>(value + noise(random)), 0, 255));
  return io::encode_jpeg(image, {.quality = 90});
}

using Step = std::function<void(const std::string& file, data::Random& random)>;

// The least seconds of a core that one image took.
double measure(const std::vector<std::string>& files, const Effort& effort, const Step& step) {
  double best = 1e9;
  const double begin = now_seconds();
  for (int pass = 0; pass < 3 || (pass < 30 && now_seconds() - begin < effort.seconds); ++pass) {
    const double start = core_seconds();
    for (int i = 0; i < images; ++i) {
      // The same three epochs of crops in each kind of measurement.
      data::Random random = data::Place{.seed = 0, .epoch = pass % 3, .index = i}.random();
      step(files[static_cast<size_t>(i)], random);
    }
    best = std::min(best, (core_seconds() - start) / images);
  }
  return best;
}

}  // namespace

void measure_images(const Workload& workload, const std::string& mode, const Settings& settings) {
  Report report(workload.name, mode, 1);
  std::mt19937 random(0);
  std::vector<std::string> files;
  for (int i = 0; i < images; ++i) files.push_back(make_file(random));
  const data::CropTarget target{.mean = {0.485f, 0.456f, 0.406f}, .std = {0.229f, 0.224f, 0.225f}};
  std::vector<float> slot(224 * 224 * 3);
  const auto bytes = [](const std::string& file) { return std::as_bytes(std::span(file)); };

  const double whole =
      measure(files, settings.effort, [&](const std::string& file, data::Random& draws) {
        data::decode_crop(
            bytes(file), "image",
            [&](int64_t h, int64_t w) { return data::random_resized_crop(h, w, draws); }, target,
            slot.data());
      });
  io::RegionPixels pixels;
  const double decode =
      measure(files, settings.effort, [&](const std::string& file, data::Random& draws) {
        io::decode_jpeg_region(
            bytes(file), "image",
            [](void* context, int64_t h, int64_t w) {
              auto& own = *static_cast<data::Random*>(context);
              return io::RegionRequest{data::random_resized_crop(h, w, own).region};
            },
            &draws, pixels);
      });
  const double all = measure(files, settings.effort, [&](const std::string& file, data::Random&) {
    io::decode_jpeg(bytes(file), "image");
  });
  report.value("images of a core second", 1 / whole, "images/s");
  report.value("crop 224, mirrored and normalized", whole * 1e6, "us");
  report.value("of it decoding", decode * 1e6, "us");
  report.value("decoding the whole image", all * 1e6, "us");
  report.finish();
}

}  // namespace cornu::bench
