// Reading of training images: files in memory, or pixels in shards -> random crop -> mirror ->
// normalize -> batch.
#include <cornu/framework/data/images/decode_crop.h>
#include <cornu/framework/data/images/resample.h>
#include <cornu/framework/data/shard_crops.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
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

// A photograph's worth of colors with a camera's worth of noise.
io::Image make_image(std::mt19937& random, int64_t rows, int64_t columns) {
  std::uniform_int_distribution<int> level(0, 254);
  io::Image small{24, 32, 3};
  for (size_t i = 0; i < small.size(); ++i)
    small.pixels.push_back(static_cast<uint8_t>(level(random)));
  io::Image image = data::resample(small, rows, columns, "bicubic");
  std::normal_distribution<double> noise(0, 6);
  for (uint8_t& value : image.pixels)
    value = static_cast<uint8_t>(std::clamp(static_cast<int>(value + noise(random)), 0, 255));
  return image;
}

// About 60 KB.
std::string make_file(std::mt19937& random) {
  return io::encode_jpeg(make_image(random, height, width), {.quality = 90});
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

const data::CropTarget target{.mean = {0.485f, 0.456f, 0.406f}, .std = {0.229f, 0.224f, 0.225f}};

// A folder of shards, removed at the end.
class PackedImages {
 public:
  // Images of 4:3 whose shorter side has so many pixels.
  explicit PackedImages(int64_t side) {
    std::string pattern = (std::filesystem::temp_directory_path() / "cornu-bench-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw FileError("'" + pattern + "' cannot be made.");
    folder_ = pattern;
    data::SampleWriter writer(shards());
    std::mt19937 random(0);
    for (int i = 0; i < images; ++i) {
      const io::Image image = make_image(random, side, side * 4 / 3);
      writer.add({.image = Tensor::copy_of(image.pixels.data(), {image.height, image.width, 3},
                                           DType::uint8),
                  .label = Tensor(i)});
    }
    writer.finish();
  }
  ~PackedImages() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::string shards() const { return (folder_ / "shards").string(); }

 private:
  std::filesystem::path folder_;
};

// The least seconds of a core that one image of whole epochs took, all on this thread.
double measure_epochs(const data::Pipeline<Batch>& batches, const Effort& effort) {
  double best = 1e9;
  const double begin = now_seconds();
  for (int64_t epoch = 0; epoch < 3 || (epoch < 60 && now_seconds() - begin < effort.seconds);
       ++epoch) {
    const double start = core_seconds();
    int64_t count = 0;
    for (const Batch& batch : batches.epoch(epoch % 3)) count += batch.x.tensor().shape()[0];
    if (count != images) throw StateError("images: samples are missing.");
    best = std::min(best, (core_seconds() - start) / images);
  }
  return best;
}

void measure_packed(int64_t side, Report& report, const Effort& effort) {
  const PackedImages packed(side);
  const auto batches = [&](bool verify) {
    return data::crops_from_shards(packed.shards(), {.target = target, .verify = verify})
        .shuffle()
        .batch(64);
  };
  const double checked = measure_epochs(batches(true), effort),
               unchecked = measure_epochs(batches(false), effort);
  report.value("images of a core second", 1 / checked, "images/s");
  report.value("without the check of sums", 1 / unchecked, "images/s");
  std::vector<uint8_t> pixels(static_cast<size_t>(side * (side * 4 / 3) * 3), 99);
  std::vector<float> slot(224 * 224 * 3);
  const std::vector<std::string> none(images);
  const double kernel = measure(none, effort, [&](const std::string&, data::Random& draws) {
    data::crop_pixels(
        {pixels.data(), side, side * 4 / 3}, "pixels",
        [&](int64_t h, int64_t w) { return data::random_resized_crop(h, w, draws); }, target,
        slot.data());
  });
  report.value("crop 224 of pixels in the caches", kernel * 1e6, "us");
}

}  // namespace

void measure_images(const Workload& workload, const std::string& mode, const Settings& settings) {
  Report report(workload.name, mode, 1);
  if (mode != "decode crop") {
    measure_packed(mode == "packed 256" ? 256 : 500, report, settings.effort);
    return report.finish();
  }
  std::mt19937 random(0);
  std::vector<std::string> files;
  for (int i = 0; i < images; ++i) files.push_back(make_file(random));
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
