// pad_sequences, to_categorical, normalize and split_dataset at their edges: dtypes, nothing, one.
#include <cornu/framework/data/sequences.h>
#include <cornu/framework/data/split_dataset.h>
#include <cornu/framework/ops/core/cast.h>
#include <cornu/framework/ops/numpy/creation.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "catch.h"
#include "support/contract.h"

namespace sequence_contract_test {

using namespace cornu;
using test::equals;
using test::error_of;
using test::has;

namespace {

using Lists = std::vector<std::vector<int64_t>>;
using Reals = std::vector<std::vector<double>>;

Tensor counting(int64_t n) {
  std::vector<int64_t> values(static_cast<size_t>(n));
  std::iota(values.begin(), values.end(), int64_t{0});
  return Tensor::from(values, {n});
}

}  // namespace

TEST_CASE("Padding has the result's dtype, and is cut off to whole numbers") {
  struct Case {
    Reals sequences;
    utils::PadOptions options;
    Shape shape;
    std::vector<double> expected;
  };
  // The numbers of Keras 3.15.
  for (const Case& c : std::vector<Case>{
           {{{1, 2, 3}, {4}}, {.value = -1.7}, {2, 3}, {1, 2, 3, -1, -1, 4}},
           {{{1, 2, 3}, {4}},
            {.dtype = DType::float64, .value = 2.5},
            {2, 3},
            {1, 2, 3, 2.5, 2.5, 4}},
           {{{1.5, -2.9}, {3}}, {.dtype = DType::float16}, {2, 2}, {1.5, -2.900390625, 0, 3}},
           {{{1.9, -2.9}}, {}, {1, 2}, {1, -2}},
           {{{}, {}}, {}, {2, 0}, {}},
           {{{}, {}}, {.maxlen = 2, .value = 3}, {2, 2}, {3, 3, 3, 3}},
           {{{1}, {2, 3}}, {.maxlen = 4, .padding = "post"}, {2, 4}, {1, 0, 0, 0, 2, 3, 0, 0}},
           {{{1, 2, 3, 4, 5}},
            {.maxlen = 2, .padding = "post", .truncating = "post"},
            {1, 2},
            {1, 2}},
           {{{1, 2, 3, 4, 5}}, {.maxlen = 2, .truncating = "pre"}, {1, 2}, {4, 5}},
           {{{1, 0}, {1}}, {.dtype = DType::boolean}, {2, 2}, {1, 0, 0, 1}},
           {{{7}}, {.maxlen = 1}, {1, 1}, {7}},
           {{{1, 2}, {3}}, {.maxlen = 0}, {2, 0}, {}}}) {
    const Tensor padded = utils::pad_sequences(c.sequences, c.options);
    INFO(padded.str());
    CHECK(padded.dtype() == c.options.dtype);
    CHECK(padded.shape() == c.shape);
    CHECK(padded.to_vector<double>() == c.expected);
  }
}

TEST_CASE("Sequences of any dtype and of several axes are padded alike") {
  for (const DType from : {DType::boolean, DType::uint8, DType::int64, DType::float16,
                           DType::bfloat16, DType::float32, DType::float64}) {
    INFO("from " << dtype_name(from));
    const Tensor a = ops::ones({2, 3}, from), b = ops::ones({1, 3}, from);
    for (const DType to : {DType::int32, DType::float32, DType::int8, DType::float64}) {
      const Tensor padded = utils::pad_sequences({a, b}, {.dtype = to, .padding = "post"});
      CHECK(padded.shape() == Shape{2, 2, 3});
      CHECK(padded.to_vector<double>() == std::vector<double>{1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0});
    }
  }
  // Sequences without steps may have any shape, in any place.
  const Tensor none = ops::zeros({0}), steps = ops::ones({2, 2});
  CHECK(utils::pad_sequences({none, steps}).shape() == Shape{2, 2, 2});
  CHECK(utils::pad_sequences({steps, none, none}).shape() == Shape{3, 2, 2});
  CHECK(utils::pad_sequences({ops::zeros({0, 5}), ops::ones({1, 2})}).shape() == Shape{2, 1, 2});
  // Of different dtypes, each is converted by itself.
  CHECK(utils::pad_sequences({ops::ones({2}, DType::float64), ops::ones({1}, DType::uint8)})
            .to_vector<int>() == std::vector<int>{1, 1, 0, 1});
}

TEST_CASE("Sequences that cannot be padded are named") {
  CHECK(has(error_of([] {
              utils::pad_sequences({ops::ones({2}), Tensor(3.0f)});
            }),
            "sequence 1 is a scalar"));
  CHECK(has(error_of([] {
              utils::pad_sequences({ops::ones({2, 3}), ops::ones({2, 4})});
            }),
            "sequence 1 have shape (4,), those before (3,)"));
  CHECK(has(error_of([] {
              utils::pad_sequences({Tensor::strings({"a", "b"}, {2})});
            }),
            "sequence 0 has texts"));
  CHECK(has(error_of([] { utils::pad_sequences(Lists{{1}}, {.truncating = "Pre"}); }),
            "option 'truncating': expected \"pre\" or \"post\", found \"Pre\""));
  CHECK(has(error_of([] { utils::pad_sequences(Lists{{1}}, {.maxlen = -2}); }), "found -2"));
}

TEST_CASE("to_categorical takes classes of all shapes and dtypes") {
  struct Case {
    Tensor x;
    std::optional<int64_t> classes;
    Shape shape;
    std::vector<double> expected;
  };
  for (const Case& c : std::vector<Case>{
           {Tensor(int64_t{2}), {}, {3}, {0, 0, 1}},
           {Tensor::from({1, 0}, {1, 2, 1}), {}, {1, 2, 2}, {0, 1, 1, 0}},
           {Tensor::from({1}, {1, 1}), 3, {1, 3}, {0, 1, 0}},
           {Tensor::from({1}, {1}), 3, {1, 3}, {0, 1, 0}},
           {Tensor::from({1.7f, 0.2f}, {2}), 3, {2, 3}, {0, 1, 0, 1, 0, 0}},
           {Tensor::from({1, 0}, {2}), {}, {2, 2}, {0, 1, 1, 0}},
           {ops::cast(Tensor::from({1, 0}, {2}), DType::boolean), {}, {2, 2}, {0, 1, 1, 0}},
           {Tensor::from({0, 2}, {2}), 0, {2, 3}, {1, 0, 0, 0, 0, 1}},
           {Tensor::from({0, 1, 1, 0}, {2, 2}), {}, {2, 2, 2}, {1, 0, 0, 1, 0, 1, 1, 0}},
           {ops::zeros({0}), 3, {0, 3}, {}},
           {ops::zeros({0, 1}), 3, {0, 3}, {}}}) {
    const Tensor y = utils::to_categorical(c.x, c.classes);
    INFO(c.x.str() << " became " << y.str());
    CHECK(y.dtype() == DType::float32);
    CHECK(y.shape() == c.shape);
    CHECK(y.to_vector<double>() == c.expected);
  }
  CHECK(has(error_of([] {
              utils::to_categorical(Tensor::from({0, 3}, {2}), 3);
            }),
            "class 3 is not among the 3 classes"));
  CHECK(
      has(error_of([] { utils::to_categorical(ops::zeros({0})); }), "'num_classes' must be given"));
}

TEST_CASE("normalize divides by norms of any order along any axis") {
  const Tensor x = Tensor::from({3.0, -4.0, 0.0, 5.0}, {2, 2});
  CHECK(equals(utils::normalize(x, -1, 1), {3.0 / 7, -4.0 / 7, 0, 1}));
  CHECK(equals(utils::normalize(x, 0), {1, -4 / std::sqrt(41.0), 0, 5 / std::sqrt(41.0)}));
  CHECK(equals(utils::normalize(x, -1, 3), {0.66697178, -0.88929571, 0, 1}));
  CHECK(equals(utils::normalize(Tensor::from({3.0f, 4.0f}, {2}), 0), {0.6, 0.8}));
  CHECK(utils::normalize(ops::zeros({2, 3})).to_vector<float>() == std::vector<float>(6, 0.0f));
  CHECK(has(error_of([&] { utils::normalize(x, -1, 0); }), "order"));
  CHECK_THROWS_AS(utils::normalize(x, 2), Error);
}

TEST_CASE("Both parts of a split have each sample once, in all tensors of a nest") {
  const Nest nest{{"a", counting(12)}, {"b", ops::add(counting(12), Tensor(int64_t{100}))}};
  for (const bool shuffle : {false, true}) {
    const auto [left, right] =
        utils::split_dataset(nest, {.left_size = 0.25, .shuffle = shuffle, .seed = 5});
    std::set<int64_t> seen;
    for (const Nest& part : {left, right}) {
      const auto a = part["a"].tensor().to_vector<int64_t>(),
                 b = part["b"].tensor().to_vector<int64_t>();
      REQUIRE(a.size() == b.size());
      for (size_t i = 0; i < a.size(); ++i) {
        CHECK(b[i] == a[i] + 100);
        CHECK(seen.insert(a[i]).second);
      }
    }
    CHECK(seen.size() == 12);
    CHECK(left["a"].tensor().size() == 3);
  }
  // Both sizes may leave samples out, in the middle.
  const auto [left, right] =
      utils::split_dataset(counting(10), {.left_size = int64_t{2}, .right_size = 0.3});
  CHECK(left.tensor().to_vector<int>() == std::vector<int>{0, 1});
  CHECK(right.tensor().to_vector<int>() == std::vector<int>{7, 8, 9});
  // Without a seed the order differs from call to call.
  const auto order = [] {
    return utils::split_dataset(counting(400), {.left_size = int64_t{399}, .shuffle = true})
        .first.tensor()
        .to_vector<int64_t>();
  };
  CHECK(order() != order());
  // Strings go along.
  const auto [names, rest] = utils::split_dataset(
      Nest{Tensor::strings({"a", "b", "c"}, {3}), counting(3)}, {.right_size = int64_t{1}});
  CHECK(names.list()[0].tensor().to_strings() == std::vector<std::string>{"a", "b"});
  CHECK(rest.list()[0].tensor().to_strings() == std::vector<std::string>{"c"});
  CHECK(has(error_of([] {
              utils::split_dataset(Nest{counting(3), counting(4)}, {.left_size = int64_t{1}});
            }),
            "4 samples"));
  CHECK_THROWS_AS(utils::split_dataset(counting(1), {.left_size = 0.5}), ValueError);
  CHECK_THROWS_AS(utils::split_dataset(counting(0), {.left_size = 0.5}), ValueError);
}

}  // namespace sequence_contract_test
