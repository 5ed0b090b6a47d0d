// Fourier transforms taken apart: which products make them, and the numbers that these need.
#pragma once
#include <compare>
#include <memory>

#include "composer.h"

namespace cornu::backend::fourier {

/// A size to transform: the first `bins` terms, of real numbers or not.
struct Problem {
  /// @{
  /// Size of the transform, and how many terms are wanted.
  int64_t n, bins;
  /// @}
  bool real;                                      ///< whether the inputs have no imaginary part
  int64_t parts() const { return real ? 1 : 2; }  ///< arrays that hold an input
  /// What is left when every a-th term is one of a transform of its own.
  Problem after(int64_t a) const { return {n / a, (bins + a - 1) / a, false}; }
  friend auto operator<=>(const Problem&, const Problem&) = default;  ///< by members, for caches
};

/// One product; transforms of two factors of n (Cooley and Tukey, 1965); a convolution with a chirp
/// (Bluestein, 1970).
enum class Way : uint8_t { direct, split, chirp };

/// Everything about transforms of one size that is the same for all of them.
struct Transform {
  Problem problem;   ///< what it solves
  Way way;           ///< how
  size_t bytes = 0;  ///< of its constants
  /// @{
  /// direct: (parts n, bins), which make the real and the imaginary results. split: (a, parts a),
  /// the same from the left. chirp: (n), the chirp.
  Constant re, im;
  /// @}

  /// @{
  /// split: the roots between the two transforms: (a, 2, b), what the real and what the imaginary
  /// inputs add to both results; (a, b) when the second one is not direct. chirp: its mirror's
  /// transform (size).
  Constant between_re, between_im;
  /// @}

  /// @{
  /// split: the two factors of n. chirp: b is the size of the convolution.
  int64_t a = 0, b = 0;
  /// @}
  Constant second;                           ///< split: (2 b, 2 bins) when that one is direct
  std::shared_ptr<const Transform> inner;    ///< split: the second one, otherwise; chirp: there
  std::shared_ptr<const Transform> inverse;  ///< chirp: and back
};

/// The transform of that size, with the opposite sign if `inverse`. The last few are kept, for all
/// threads.
std::shared_ptr<const Transform> transform(const Problem& problem, bool inverse, DType dtype);

}  // namespace cornu::backend::fourier
