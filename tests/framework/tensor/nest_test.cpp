// Nest: structures of tensors.
#include <cornu/framework/ops/ops.h>
#include <cornu/framework/tensor/nest.h>

#include "catch.h"

namespace nest_test {

using namespace cornu;

namespace {

Tensor t(int value) { return Tensor::from({value}, {1}); }

Nest sample() { return Nest{t(1), Nest::dict({{"b", t(2)}, {"a", Nest{t(3), t(4)}}})}; }

std::vector<double> values(const Nest& nest) {
  std::vector<double> all;
  for (const Tensor& x : nest.flatten()) all.push_back(x.item());
  return all;
}

}  // namespace

TEST_CASE("nests flatten dictionaries by sorted key") {
  CHECK(values(sample()) == std::vector<double>{1, 3, 4, 2});
  CHECK(sample().structure() == "[*, {'b': *, 'a': [*, *]}]");
  CHECK(values(Nest(std::vector<Tensor>{t(5), t(6)})) == std::vector<double>{5, 6});
}

TEST_CASE("nests are read by place and by key") {
  const Nest n = sample();
  CHECK(n.is_list());
  CHECK(n.size() == 2);
  CHECK(n[1].is_dict());
  CHECK(n[1]["a"][1].tensor().item() == 4);
  CHECK(n[1][0].tensor().item() == 2);
  CHECK(Nest().empty());
  CHECK_FALSE(Nest(Nest::List{}).empty());
  const Tensor x = Nest(t(7));
  CHECK(x.item() == 7);
}

TEST_CASE("nests are packed and mapped into the same structure") {
  const Nest n = sample();
  const Nest doubled = n.map([](const Tensor& x) { return x * 2; });
  CHECK(values(doubled) == std::vector<double>{2, 6, 8, 4});
  CHECK(doubled.structure() == n.structure());
  CHECK(values(n.pack({t(9), t(8), t(7), t(6)})) == std::vector<double>{9, 8, 7, 6});
  CHECK(n.pack({t(9), t(8), t(7), t(6)})[1]["b"].tensor().item() == 6);
}

TEST_CASE("structures are compared, whatever the order of keys") {
  const Nest a = Nest::dict({{"x", t(1)}, {"y", t(2)}}), b = Nest::dict({{"y", t(3)}, {"x", t(4)}});
  CHECK(a.same_structure(b));
  CHECK_FALSE(a.same_structure(Nest::dict({{"x", t(1)}, {"z", t(2)}})));
  CHECK_FALSE(a.same_structure(Nest{t(1), t(2)}));
  CHECK_FALSE(Nest{t(1)}.same_structure(Nest(t(1))));
}

TEST_CASE("nests say what they do not hold") {
  const Nest n = sample();
  CHECK_THROWS_WITH(
      n.tensor(),
      "Expected a single tensor, found the structure [*, {'b': *, 'a': [*, *]}]. Pick one "
      "with [index] or [\"key\"].");
  CHECK_THROWS_WITH(
      n[2], "Element 2 of the structure [*, {'b': *, 'a': [*, *]}] does not exist: it has 2.");
  const Nest named = Nest::dict({{"logits", t(1)}});
  CHECK_THROWS_WITH(named["logit"],
                    "No entry 'logit' in the structure {'logits': *}. Did you mean 'logits'?");
  CHECK_THROWS_WITH(n.pack({t(1)}),
                    "1 tensors do not fill the structure [*, {'b': *, 'a': [*, *]}]");
  CHECK_THROWS_AS(n.pack(std::vector<Tensor>(5, t(1))), ValueError);
}

TEST_CASE("lists are taken apart") {
  const auto [a, b, c] = Nest{t(1), t(2), t(3)}.unpack<3>();
  CHECK(values(Nest{a, b, c}) == std::vector<double>{1, 2, 3});
  CHECK_THROWS_WITH((Nest{t(1), t(2)}.unpack<3>()),
                    "unpack<3> needs a list of 3 tensors, found the structure [*, *]. Write "
                    "unpack<2>.");
  CHECK_THROWS_WITH(sample().unpack<2>(),
                    "unpack<2> needs a list of 2 tensors, found the structure [*, {'b': *, 'a': "
                    "[*, *]}]. Take what is inside of the Nest.");
  CHECK_THROWS_AS(Nest(t(1)).unpack<1>(), ValueError);
}

TEST_CASE("spans and vectors of numbers are tensors") {
  std::vector<float> numbers = {1, 2, 3};
  const Nest from_vector = numbers, from_span = std::span<float>(numbers),
             from_const = std::span<const float>(numbers);
  for (const Nest& nest : {from_vector, from_span, from_const}) {
    CHECK(nest.tensor().shape() == Shape{3});
    CHECK(nest.tensor().dtype() == DType::float32);
    CHECK(nest.tensor().to_vector<float>() == numbers);
  }
}

}  // namespace nest_test
