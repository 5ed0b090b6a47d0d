// The random numbers of NumPy's RandomState and Python's random, where Keras shuffles with them.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace cornu::data {

/// The Mersenne Twister MT19937 (Matsumoto and Nishimura, 1998).
class MersenneTwister {
 public:
  /// As `numpy.random.RandomState(seed)`. Throws ValueError unless the seed is in [0, 2^32).
  static MersenneTwister numpy(int64_t seed);
  /// As `random.seed(seed)` of Python.
  static MersenneTwister python(int64_t seed);
  /// The next 32 bits.
  uint32_t next();

 private:
  explicit MersenneTwister(uint32_t seed);

  std::array<uint32_t, 624> state_;
  size_t at_ = 624;
};

/// A number in [0, 1), as `RandomState.random_sample`.
double numpy_uniform(MersenneTwister& twister);
/// A whole number in [0, count), as `RandomState.randint`; of one number without a draw. `count` is
/// in [1, 2^32].
int64_t numpy_below(int64_t count, MersenneTwister& twister);

/// A permutation as `numpy.random.RandomState(seed).shuffle(x)` makes it: place i of the shuffled x
/// holds x[result[i]]. Throws as MersenneTwister::numpy.
std::vector<int64_t> numpy_shuffle(int64_t count, int64_t seed);
/// The same, going on with the numbers of `twister`.
std::vector<int64_t> numpy_shuffle(int64_t count, MersenneTwister& twister);
/// The same of `random.seed(seed); random.shuffle(x)` in Python.
std::vector<int64_t> python_shuffle(int64_t count, int64_t seed);

/// The elements in another order: element i of the result is values[order[i]].
template <class T>
std::vector<T> reordered(const std::vector<T>& values, const std::vector<int64_t>& order) {
  std::vector<T> result;
  result.reserve(order.size());
  for (const int64_t i : order) result.push_back(values[static_cast<size_t>(i)]);
  return result;
}

}  // namespace cornu::data
