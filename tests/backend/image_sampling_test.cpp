// Sampling and resizing pictures, against OpenCV's results: tests/data/sampling.json, written by
// tools/goldens/sampling_goldens.py, and against sums written out.
#include <cornu/backend/error.h>
#include <cornu/backend/image_filter.h>
#include <cornu/backend/image_sampling.h>

#include <algorithm>
#include <cmath>

#include "../catch.h"
#include "../support/contract.h"
#include "../support/golden_json.h"

namespace image_sampling_test {

using namespace cornu;
using namespace cornu::backend::image;
using test::entry;

namespace {

constexpr int64_t height = 20, width = 28;

// The picture of the script.
std::vector<float> waves(int64_t channels) {
  std::vector<float> values;
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x)
      for (int64_t c = 0; c < channels; ++c) {
        const auto k = static_cast<double>(c);
        values.push_back(static_cast<float>(
            std::nearbyint(127 + 90 * std::sin(0.31 * static_cast<double>(x) + k) *
                                     std::cos(0.27 * static_cast<double>(y) - k))));
      }
  return values;
}

template <class T>
Picture picture(std::vector<T>& values, int64_t rows, int64_t columns, int64_t channels) {
  return {values.data(), rows, columns, channels, sizeof(T) == 1 ? DType::uint8 : DType::float32};
}

double number(const Value& value) {
  return value.is<int64_t>() ? static_cast<double>(value.get<int64_t>()) : value.get<double>();
}

Fill fill_of(const std::string& name) {
  const std::vector<std::string> names = {"constant", "nearest", "wrap", "mirror", "reflect"};
  return static_cast<Fill>(std::find(names.begin(), names.end(), name) - names.begin());
}

template <class T>
double largest_difference(const Value& golden, const Homography& map, int64_t channels, Fill fill) {
  const std::vector<float> source = waves(channels);
  std::vector<T> from(source.begin(), source.end()), to(from.size());
  sample(picture(from, height, width, channels), picture(to, height, width, channels),
         places_of(map, width), {.linear = true, .fill = fill, .value = 50});
  double most = 0;
  const auto& expected = golden.get<Value::List>();
  REQUIRE(expected.size() == to.size());
  for (size_t i = 0; i < to.size(); ++i)
    most = std::max(most, std::abs(static_cast<double>(to[i]) - number(expected[i])));
  return most;
}

}  // namespace

TEST_CASE("Sampling is within a gray level of OpenCV's") {
  const Value file = test::golden_file("sampling.json");
  for (const Value& c : entry(file, "cases").get<Value::List>()) {
    Homography map{};
    const auto& numbers = entry(c, "map").get<Value::List>();
    for (size_t i = 0; i < 9; ++i) map[i] = number(numbers[i]);
    const auto channels = static_cast<int64_t>(number(entry(c, "channels")));
    const auto& fill = entry(c, "fill").get<std::string>();
    INFO(entry(c, "name").get<std::string>() << ", " << channels << " channels, " << fill);
    CHECK(largest_difference<uint8_t>(entry(c, "values"), map, channels, fill_of(fill)) <= 1.01);
    CHECK(largest_difference<float>(entry(c, "values"), map, channels, fill_of(fill)) <= 1.01);
  }
}

namespace {

Homography map_of(const Value& c) {
  Homography map{};
  const auto& numbers = entry(c, "map").get<Value::List>();
  for (size_t i = 0; i < 9; ++i) map[i] = number(numbers[i]);
  return map;
}

// The bytes of the script.
std::vector<uint8_t> noise(size_t count) {
  std::vector<uint8_t> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<uint8_t>(static_cast<uint32_t>(i * 2654435761u + 12345) >> 24);
  return values;
}

}  // namespace

TEST_CASE("Sampling noise of bytes is within a gray level of OpenCV's, by all fills") {
  const Value file = test::golden_file("sampling.json");
  const Value& part = entry(file, "noise");
  const auto rows = static_cast<int64_t>(number(entry(part, "height"))),
             columns = static_cast<int64_t>(number(entry(part, "width")));
  for (const Value& c : entry(part, "cases").get<Value::List>()) {
    const auto channels = static_cast<int64_t>(number(entry(c, "channels")));
    const auto& fill = entry(c, "fill").get<std::string>();
    const bool linear = entry(c, "linear").get<bool>();
    INFO(entry(c, "name").get<std::string>()
         << ", " << channels << " channels, " << fill << (linear ? ", linear" : ", nearest"));
    std::vector<uint8_t> from = noise(static_cast<size_t>(rows * columns * channels)),
                         to(from.size());
    sample(picture(from, rows, columns, channels), picture(to, rows, columns, channels),
           places_of(map_of(c), columns), {.linear = linear, .fill = fill_of(fill), .value = 50});
    const auto& expected = entry(c, "values").get<Value::List>();
    REQUIRE(expected.size() == to.size());
    double most = 0;
    for (size_t i = 0; i < to.size(); ++i)
      most = std::max(most, std::abs(static_cast<double>(to[i]) - number(expected[i])));
    CHECK(most <= (linear ? 1 : 0));
  }
}

TEST_CASE("Sampling between bytes is within 0.52 of the exact result") {
  std::vector<uint8_t> from(64 * 64 * 3);
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<uint8_t>(i * 7919 % 256);
  const std::vector<float> wide(from.begin(), from.end());
  std::vector<float> exact_source = wide, exact(from.size());
  std::vector<uint8_t> bytes(from.size());
  const Homography map = {0.97, -0.23, 3.3, 0.23, 0.97, -2.2, 0, 0, 1};
  sample(picture(from, 64, 64, 3), picture(bytes, 64, 64, 3), places_of(map, 64),
         {.fill = Fill::reflect});
  sample(picture(exact_source, 64, 64, 3), picture(exact, 64, 64, 3), places_of(map, 64),
         {.fill = Fill::reflect});
  for (size_t i = 0; i < bytes.size(); ++i)
    REQUIRE(std::abs(static_cast<float>(bytes[i]) - exact[i]) <= 0.52f);
}

TEST_CASE("All fills and numbers of channels sample what folding says") {
  const int64_t channels = GENERATE(1, 2, 3, 4, 5);
  const Fill fill =
      GENERATE(Fill::constant, Fill::nearest, Fill::wrap, Fill::mirror, Fill::reflect);
  const int64_t rows = GENERATE(1, 2, 7), columns = GENERATE(1, 3, 40);
  std::vector<float> from(static_cast<size_t>(rows * columns * channels));
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i * 31 % 97);
  std::vector<float> to(from.size()), nearest(from.size());
  const Homography map = {1.313, 0.207, -9.71, -0.409, 1.917, -4.63, 0, 0, 1};
  const Picture source = picture(from, rows, columns, channels);
  sample(source, picture(to, rows, columns, channels), places_of(map, columns),
         {.fill = fill, .value = 7});
  sample(source, picture(nearest, rows, columns, channels), places_of(map, columns),
         {.linear = false, .fill = fill, .value = 7});
  const auto at = [&](int64_t y, int64_t x, int64_t c) -> double {
    const bool inside = y >= 0 && x >= 0 && y < rows && x < columns;
    if (!inside && fill == Fill::constant) return 7;
    return static_cast<double>(from[static_cast<size_t>(
        (folded(y, rows, fill) * columns + folded(x, columns, fill)) * channels + c)]);
  };
  for (int64_t y = 0; y < rows; ++y)
    for (int64_t x = 0; x < columns; ++x)
      for (int64_t c = 0; c < channels; ++c) {
        const double px = 1.313 * static_cast<double>(x) + 0.207 * static_cast<double>(y) - 9.71,
                     py = -0.409 * static_cast<double>(x) + 1.917 * static_cast<double>(y) - 4.63;
        const auto left = static_cast<int64_t>(std::floor(px)),
                   top = static_cast<int64_t>(std::floor(py));
        const double right = px - std::floor(px), below = py - std::floor(py);
        const double expected =
            (at(top, left, c) * (1 - right) + at(top, left + 1, c) * right) * (1 - below) +
            (at(top + 1, left, c) * (1 - right) + at(top + 1, left + 1, c) * right) * below;
        const auto i = static_cast<size_t>((y * columns + x) * channels + c);
        INFO("row " << y << " column " << x << " channel " << c);
        REQUIRE(static_cast<double>(to[i]) == Approx(expected).margin(2e-3));
        // Halves may go either way in floats.
        if (std::abs(right - 0.5) < 1e-3 || std::abs(below - 0.5) < 1e-3) continue;
        REQUIRE(static_cast<double>(nearest[i]) == at(std::lround(py), std::lround(px), c));
      }
}

TEST_CASE("A batch is sampled as each picture by itself, bit for bit") {
  constexpr int64_t count = 3, rows = 70, columns = 41, channels = 3;
  std::vector<float> from(static_cast<size_t>(count * rows * columns * channels));
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i * 31 % 97);
  std::vector<float> batch(from.size()), single(from.size());
  const std::vector<Homography> maps = {{0.97, -0.23, 3.3, 0.23, 0.97, -2.2, 0, 0, 1},
                                        {1, 0, 0.5, 0, 1, -7, 0, 0, 1},
                                        {1.1, 0, 0, 0.1, 0.9, 0, 1e-3, -2e-3, 1}};
  const auto all = [&](std::vector<float>& values, int64_t i) {
    return Picture{values.data() + i * rows * columns * channels, rows, columns, channels,
                   DType::float32};
  };
  for (const bool linear : {false, true}) {
    const Sampling how{.linear = linear, .fill = Fill::reflect};
    sample_batch(all(from, 0), all(batch, 0), count, maps, how);
    for (int64_t i = 0; i < count; ++i)
      sample(all(from, i), all(single, i), places_of(maps[static_cast<size_t>(i)], columns), how);
    CHECK(batch == single);
    sample_batch(all(from, 0), all(batch, 0), count, {maps.data(), 1}, how);
    for (int64_t i = 0; i < count; ++i)
      sample(all(from, i), all(single, i), places_of(maps[0], columns), how);
    CHECK(batch == single);
  }
}

TEST_CASE("Filters are sums of neighbors") {
  const int64_t channels = GENERATE(1, 3);
  const Fill fill = GENERATE(Fill::constant, Fill::reflect, Fill::mirror);
  std::vector<float> from = waves(channels), to(from.size()), product(from.size());
  const std::vector<Tap> taps = {{0, 0, 0.5f}, {-1, 2, 0.25f}, {2, -1, -0.125f}};
  const Picture source = picture(from, height, width, channels);
  filter(source, picture(to, height, width, channels), taps, fill);
  const std::vector<float> across = {0.25f, 0.5f, 0.25f}, down = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f};
  filter_separable(source, picture(product, height, width, channels), across, down, fill);
  const auto at = [&](int64_t y, int64_t x, int64_t c) -> float {
    const bool inside = y >= 0 && x >= 0 && y < height && x < width;
    if (!inside && fill == Fill::constant) return 0;
    return from[static_cast<size_t>(
        (folded(y, height, fill) * width + folded(x, width, fill)) * channels + c)];
  };
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x)
      for (int64_t c = 0; c < channels; ++c) {
        float sum = 0, both = 0;
        for (const Tap& tap : taps) sum += tap.weight * at(y + tap.down, x + tap.right, c);
        for (int64_t j = -2; j <= 2; ++j)
          for (int64_t i = -1; i <= 1; ++i)
            both += across[static_cast<size_t>(i + 1)] * down[static_cast<size_t>(j + 2)] *
                    at(y + j, x + i, c);
        const auto i = static_cast<size_t>((y * width + x) * channels + c);
        REQUIRE(to[i] == Approx(sum).margin(1e-3));
        REQUIRE(product[i] == Approx(both).margin(1e-3));
      }
}

TEST_CASE("Resizing names what it does not know") {
  std::vector<uint8_t> from(4), to(4);
  const auto resize_by = [&](const std::string& interpolation) {
    resize(picture(from, 2, 2, 1), {0, 0, 2, 2}, picture(to, 2, 2, 1),
           {.interpolation = interpolation});
  };
  CHECK_THROWS_AS(resize_by("bilinar"), ValueError);
  CHECK(test::error_of([&] { resize_by("bilinar"); }).find("Did you mean 'bilinear'?") !=
        std::string::npos);
}

}  // namespace image_sampling_test
