// The random kernel: what random_bits.h fills, on any number of threads.
#include <catch.h>
#include <cornu/backend/error.h>
#include <cornu/backend/random_bits.h>

#include "array.h"

namespace random_kernel_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

Array key_array() { return Array(DType::uint32, {2}, {7, 3000000000.0}); }

template <class T, class Fill>
void check(const Random& kernel, const Fill& fill) {
  for (int64_t count : {0, 1, 63, 20001}) {
    Array key = key_array(), expected(dtype_for_v<T>, {count});
    std::vector<char> filled(static_cast<size_t>(count) * sizeof(T) + 1);
    fill(Key{7, 3000000000u},
         std::span<T>(reinterpret_cast<T*>(filled.data()), static_cast<size_t>(count)));
    if (count > 0)
      std::memcpy(expected.data(), filled.data(), static_cast<size_t>(count) * sizeof(T));
    for (int threads : {1, 3}) {
      ThreadsScope scope(threads);
      Array out(dtype_for_v<T>, {count});
      run(kernel, {&key}, {&out});
      REQUIRE(out == expected);
    }
  }
}

template <class T>
void check_floats() {
  check<T>({Distribution::uniform, -2, 5},
           [](Key key, std::span<T> out) { fill_uniform(key, 0, out, -2, 5); });
  check<T>({Distribution::normal}, [](Key key, std::span<T> out) { fill_normal(key, 0, out); });
  check<T>({Distribution::truncated_normal},
           [](Key key, std::span<T> out) { fill_truncated_normal(key, 0, out); });
}

}  // namespace

TEST_CASE("random draws every distribution the same on all threads") {
  check_floats<float>();
  check_floats<double>();
  check_floats<Half>();
  check_floats<BFloat16>();
  check<uint32_t>({Distribution::bits},
                  [](Key key, std::span<uint32_t> out) { fill_bits(key, 0, out); });
  check<uint8_t>({Distribution::bits},
                 [](Key key, std::span<uint8_t> out) { fill_bits(key, 0, out); });
  check<bool>({Distribution::bernoulli, 0.3},
              [](Key key, std::span<bool> out) { fill_bernoulli(key, 0, out, 0.3); });
  check<int32_t>({Distribution::randint, -5, 1e6},
                 [](Key key, std::span<int32_t> out) { fill_randint(key, 0, out, -5, 1000000); });
  check<int8_t>({Distribution::randint, -5, 5},
                [](Key key, std::span<int8_t> out) { fill_randint(key, 0, out, -5, 5); });
}

TEST_CASE("random refuses a dtype that a distribution does not have") {
  Array key = key_array(), integers(DType::int32, {4}), floats(DType::float32, {4});
  CHECK_THROWS_AS(run(Random{Distribution::uniform}, {&key}, {&integers}), ValueError);
  CHECK_THROWS_AS(run(Random{Distribution::bits}, {&key}, {&integers}), ValueError);
  CHECK_THROWS_AS(run(Random{Distribution::randint}, {&key}, {&floats}), ValueError);
}

}  // namespace random_kernel_test
