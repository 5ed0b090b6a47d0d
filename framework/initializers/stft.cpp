// STFT.
#include "stft.h"

#include <fmt/core.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "../ops/core/cast.h"
#include "../ops/elementwise.h"
#include "../ops/numpy/creation.h"
#include "../ops/numpy/manipulation.h"
#include "../ops/numpy/reduction.h"
#include "../ops/operators.h"

namespace cornu::initializers {
namespace {

constexpr double pi = std::numbers::pi;

// Windows over t in [0, 1], from end to end.
struct Window {
  const char* name;
  double (*at)(double t);
};

// Sum of (-1)^k a_k cos(2 pi k t).
template <size_t n>
double cosines(const double (&a)[n], double t) {
  double sum = 0;
  for (size_t k = 0; k < n; ++k)
    sum += (k % 2 ? -a[k] : a[k]) * std::cos(2 * pi * static_cast<double>(k) * t);
  return sum;
}

double parzen(double t) {
  const double x = std::abs(2 * t - 1);
  return x <= 0.5 ? 1 - 6 * x * x * (1 - x) : 2 * std::pow(1 - x, 3);
}

double bohman(double t) {
  const double x = std::abs(2 * t - 1);
  return (1 - x) * std::cos(pi * x) + std::sin(pi * x) / pi;
}

constexpr Window windows[] = {
    {"hann",
     [](double t) {
       return cosines({0.5, 0.5}, t);
     }},
    {"hamming",
     [](double t) {
       return cosines({0.54, 0.46}, t);
     }},
    {"blackman",
     [](double t) {
       return cosines({0.42, 0.5, 0.08}, t);
     }},
    {"nuttall",
     [](double t) {
       return cosines({0.3635819, 0.4891775, 0.1365995, 0.0106411}, t);
     }},
    {"blackmanharris",
     [](double t) {
       return cosines({0.35875, 0.48829, 0.14128, 0.01168}, t);
     }},
    {"flattop",
     [](double t) {
       return cosines({0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368}, t);
     }},
    {"boxcar", [](double) { return 1.0; }},
    {"bartlett", [](double t) { return 1 - std::abs(2 * t - 1); }},
    {"barthann",
     [](double t) {
       return 0.62 - 0.48 * std::abs(t - 0.5) + 0.38 * std::cos(2 * pi * (t - 0.5));
     }},
    {"bohman", bohman},
    {"tukey",
     [](double t) {
       const double x = std::min(t, 1 - t);
       return x < 0.25 ? 0.5 * (1 - std::cos(4 * pi * x)) : 1.0;
     }},
};

// Windows whose ends lie outside the frame, by the number of a point and of all points.
struct OpenWindow {
  const char* name;
  double (*at)(double i, double n);
};

constexpr OpenWindow open_windows[] = {
    {"cosine", [](double i, double n) { return std::sin(pi * (i + 0.5) / n); }},
    {"parzen", [](double i, double n) { return parzen((i + 0.5) / n); }},
    {"triang",
     [](double i, double n) {
       const double x = std::min(i, n - 1 - i) + 1;
       return std::fmod(n, 2) == 0 ? (2 * x - 1) / n : 2 * x / (n + 1);
     }},
};

// What windows are called besides.
constexpr std::pair<const char*, const char*> aliases[] = {
    {"hanning", "hann"},       {"han", "hann"},       {"hamm", "hamming"},
    {"ham", "hamming"},        {"black", "blackman"}, {"blk", "blackman"},
    {"nutt", "nuttall"},       {"nut", "nuttall"},    {"blackharr", "blackmanharris"},
    {"bkh", "blackmanharris"}, {"flat", "flattop"},   {"flt", "flattop"},
    {"box", "boxcar"},         {"ones", "boxcar"},    {"rect", "boxcar"},
    {"rectangular", "boxcar"}, {"bart", "bartlett"},  {"brt", "bartlett"},
    {"brthan", "barthann"},    {"bth", "barthann"},   {"bman", "bohman"},
    {"bmn", "bohman"},         {"tuk", "tukey"},      {"halfcosine", "cosine"},
    {"parz", "parzen"},        {"par", "parzen"},     {"triangle", "triang"},
    {"tri", "triang"},
};

// A window's value at point i of n.
std::function<double(double i, double n)> find_window(std::string name) {
  for (const auto& [alias, full] : aliases)
    if (name == alias) name = full;
  for (const Window& w : windows)
    if (name == w.name) return [at = w.at](double i, double n) { return at(i / (n - 1)); };
  for (const OpenWindow& w : open_windows)
    if (name == w.name) return w.at;
  std::vector<std::string> known;
  for (const Window& w : windows) known.push_back(w.name);
  for (const OpenWindow& w : open_windows) known.push_back(w.name);
  throw ValueError(fmt::format("STFT: window '{}' is not known.{} Give the window's values.", name,
                               did_you_mean(name, known)));
}

}  // namespace

std::vector<double> FrameWindow::values(int64_t length, bool periodic) const {
  if (const auto* given = std::get_if<std::vector<double>>(&value_)) {
    if (static_cast<int64_t>(given->size()) != length)
      throw ValueError(
          fmt::format("STFT: a window of {} values for a frame of {}: expected as "
                      "many.",
                      given->size(), length));
    return *given;
  }
  const auto window = find_window(std::get<std::string>(value_));
  const int64_t points = periodic ? length + 1 : length;
  std::vector<double> result;
  for (int64_t i = 0; i < length; ++i)
    result.push_back(points == 1 ? 1.0
                                 : window(static_cast<double>(i), static_cast<double>(points)));
  return result;
}

STFTInitializer::STFTInitializer(STFTConfig c) : Configured(std::move(c)) {
  if (config.side != "real" && config.side != "imag")
    throw ValueError(fmt::format("STFT: side '{}' is not \"real\" or \"imag\".", config.side));
  if (config.scaling && *config.scaling != "density" && *config.scaling != "spectrum")
    throw ValueError(
        fmt::format("STFT: scaling '{}' is not \"density\" or \"spectrum\".", *config.scaling));
  if (const auto* name = std::get_if<std::string>(&config.window.variant())) find_window(*name);
}

Tensor STFTInitializer::operator()(const Shape& shape, DType dtype) {
  if (shape.rank() != 3)
    throw ShapeError(
        fmt::format("STFT: expected a kernel (frame, 1, bins), found shape {}.", shape.str()));
  const int64_t frame = shape[0], bins = shape[2];
  // In the kernel's own dtype from step to step, as its values are sensitive to rounding.
  const auto numbers = [&](int64_t n, const Shape& laid) {
    return ops::cast(ops::reshape(ops::arange(0, n, 1, DType::int32), laid), dtype);
  };
  const Tensor frequency =
      numbers(bins, {1, 1, bins}) / Tensor(static_cast<double>(2 * (bins - 1)));
  const Tensor angle =
      Tensor(-2.0) * numbers(frame, {frame, 1, 1}) * frequency * ops::cast(Tensor(pi), dtype);
  Tensor kernel = config.side == "real" ? ops::cos(angle) : ops::sin(angle);
  if (config.window.empty()) return kernel;
  const Tensor window =
      ops::cast(Tensor::from(config.window.values(frame, config.periodic), {frame, 1, 1}), dtype);
  kernel = kernel * window;
  if (!config.scaling) return kernel;
  return kernel / (*config.scaling == "density" ? ops::sqrt(ops::sum(ops::square(window)))
                                                : ops::sum(ops::absolute(window)));
}

Value::Dict STFTInitializer::get_config() const {
  return {{"side", config.side},
          {"window", detail::OptionCodec<FrameWindow>::encode(config.window)},
          {"periodic", config.periodic},
          {"scaling", Value(config.scaling)}};
}

void register_stft(Catalog& c) {
  c.add<STFTInitializer>("keras.initializers.STFT");
  c.add_alias("keras.initializers", "STFTInitializer", "STFT");
}

}  // namespace cornu::initializers

namespace cornu {

Value detail::OptionCodec<initializers::FrameWindow>::encode(const initializers::FrameWindow& v) {
  if (const auto* name = std::get_if<std::string>(&v.variant())) return *name;
  if (const auto* values = std::get_if<std::vector<double>>(&v.variant())) return Value(*values);
  return {};
}

initializers::FrameWindow detail::OptionCodec<initializers::FrameWindow>::decode(const Value& v) {
  if (v.is_null()) return {};
  if (v.is<std::string>()) return v.get<std::string>();
  return from_value<std::vector<double>>(v);
}

template class Configured<initializers::STFTInitializer, initializers::STFTConfig, Initializer>;

}  // namespace cornu
