// Hashing, HashedCrossing, and the hashes that they and look-ups rest on.
#include <cornu/framework/compile/function.h>
#include <cornu/framework/data/dataset.h>
#include <cornu/framework/model/functional.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/layers/tabular/fingerprint.h>
#include <cornu/layers/tabular/hashed_crossing.h>
#include <cornu/layers/tabular/hashing.h>

#include <filesystem>
#include <fstream>

#include "../../catch.h"

namespace hashing_test {

using namespace cornu;
using namespace cornu::layers;

namespace {

using Strings = std::vector<std::string>;
using Ints = std::vector<int64_t>;

Tensor words() { return Tensor::strings({"the", "cat", "dog", ""}, {2, 2}); }

Ints numbers(const Tensor& t) {
  CHECK(t.dtype() == DType::int64);
  return t.to_vector<int64_t>();
}

}  // namespace

TEST_CASE("fingerprints and keyed hashes are TensorFlow's") {
  constexpr uint64_t bins = (uint64_t{1} << 62) + 1;
  const std::vector<size_t> lengths = {0, 3, 7, 12, 20, 50, 64, 65, 200};
  const std::vector<uint64_t> plain = {
      1936946117179621453, 3979540680440595841, 1587581522672208243,
      4298565344265356197, 2015919140143245439, 374503502161314953,
      1907212410693397370, 3608805524996258717, 4344849323043487288};
  const std::vector<uint64_t> keyed = {
      316627932347062995,  4437032287204484272, 3557740260218828792,
      1952037333464588890, 314501933952693852,  2150259627983254426,
      90826548674851199,   1560504402013810578, 4022663183190095270};
  for (size_t i = 0; i < lengths.size(); ++i) {
    std::string text;
    for (size_t n = 0; n < lengths[i]; ++n) text.push_back(static_cast<char>((n * 37 + 11) % 251));
    CHECK(fingerprint64(text) % bins == plain[i]);
    CHECK(sip_hash({133, 137}, text) % bins == keyed[i]);
  }
}

TEST_CASE("Hashing") {
  CHECK(numbers(Hashing({.num_bins = 5, .mask_value = 3})(Tensor(std::vector<int>{1, 3, 5}))) ==
        Ints{2, 0, 4});
  CHECK(numbers(Hashing({.num_bins = 50, .salt = Ints{1, 2}})(words())) == Ints{32, 28, 0, 35});
  CHECK(numbers(Hashing({.num_bins = 50})(Tensor(std::vector<float>{1.7f, -2.2f}))) == Ints{49, 5});
  CHECK(numbers(Hashing({.num_bins = 50})(Tensor::from<bool>({true, false}, {2}))) == Ints{20, 7});
  const Tensor counts = Hashing({.num_bins = 4, .output_mode = "count"})(words());
  CHECK(counts.to_vector<float>() == std::vector<float>{1, 0, 1, 0, 1, 0, 0, 1});
  CHECK(Hashing({.num_bins = 4, .dtype = "int32"})(words()).dtype() == DType::int32);
  CHECK_THROWS_AS(Hashing({.num_bins = 0}), ValueError);
  CHECK_THROWS_AS(Hashing({.num_bins = 4, .dtype = "float32"}), ValueError);
  CHECK_THROWS_AS(Hashing({.num_bins = 4, .mask_value = 3})(words()), ValueError);
}

TEST_CASE("HashedCrossing") {
  const HashedCrossing cross({.num_bins = 100});
  const Nest inputs = Nest::List{Tensor(Strings{"x", "y"}), Tensor(std::vector<int>{1, -2})};
  CHECK(numbers(cross(inputs).tensor()) == Ints{27, 12});
  const HashedCrossing encoded({.num_bins = 3, .output_mode = "one_hot"});
  const Nest columns =
      Nest::List{Tensor::strings({"x", "y"}, {2, 1}), Tensor::from<int>({1, 2}, {2, 1})};
  CHECK(encoded(columns).tensor().to_vector<float>() == std::vector<float>{0, 1, 0, 1, 0, 0});
  CHECK_THROWS_AS(cross(Nest(words())), ValueError);
  CHECK_THROWS_AS(cross(Nest(Nest::List{words(), words()})), ShapeError);
  const Tensor f(std::vector<float>{1});
  CHECK_THROWS_AS(cross(Nest(Nest::List{f, f})), ValueError);
}

}  // namespace hashing_test
