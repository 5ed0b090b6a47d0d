// STFT: the waves of a short-time Fourier transform, as a convolution's kernel.
#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "../base/initializer.h"
#include "../config/config.h"

namespace cornu::initializers {

/// A window over a frame: the name of one, its values, or none (empty).
class FrameWindow {
 public:
  FrameWindow() = default;
  FrameWindow(std::nullopt_t) {}  ///< no window
  FrameWindow(const char* name)
      : value_(std::string(name)) {}  ///< such as "hann"; looked up by values()
  FrameWindow(std::string name) : value_(std::move(name)) {}  ///< the same
  /// One value for each sample of a frame.
  FrameWindow(std::vector<double> values) : value_(std::move(values)) {}
  bool empty() const { return value_.index() == 0; }  ///< whether there is no window
  /// The values for a frame of `length`: of a symmetric window, or of one that repeats after
  /// `length` if `periodic`. Throws ValueError for an unknown name, or values of another number.
  std::vector<double> values(int64_t length, bool periodic) const;
  /// What it was made from, for configs.
  const std::variant<std::monostate, std::string, std::vector<double>>& variant() const {
    return value_;
  }

 private:
  std::variant<std::monostate, std::string, std::vector<double>> value_;
};

/// Options of STFT, as in Keras.
struct STFTConfig {
  std::string side = "real";    ///< or "imag"
  FrameWindow window = "hann";  ///< a name of scipy.signal.get_window without parameters, or values
  std::optional<std::string> scaling = "density";  ///< or "spectrum", or none
  /// Whether a window given by name is periodic (for spectral analysis) rather than symmetric.
  bool periodic = false;
};

/// For a kernel (frame, 1, bins): cos (or -sin, for "imag") of 2 pi t k / (2 (bins - 1)) at time t
/// and bin k, times the window, divided by the root of its energy ("density") or its sum
/// ("spectrum"). Throws ValueError for another side, scaling or window, ShapeError for other ranks
/// than 3.
class STFTInitializer : public Configured<STFTInitializer, STFTConfig, Initializer> {
 public:
  /// Throws ValueError for an unknown side or scaling.
  explicit STFTInitializer(STFTConfig c);
  Tensor operator()(const Shape& shape, DType dtype) override;
  /// In Keras's order.
  Value::Dict get_config() const override;
};

using STFT = Ref<STFTInitializer>;  ///< a shared STFTInitializer, made from its options
using stft = STFT;                  ///< STFT by its other name

}  // namespace cornu::initializers

namespace cornu::detail {
template <>
struct OptionCodec<initializers::FrameWindow> {
  static Value encode(const initializers::FrameWindow& v);
  static initializers::FrameWindow decode(const Value& v);
};
}  // namespace cornu::detail

namespace cornu {
extern template class Configured<initializers::STFTInitializer, initializers::STFTConfig,
                                 Initializer>;
}
