// Tensor: making, reading, identity, memory.
#include <cornu/framework/model/input.h>
#include <cornu/framework/ops/ops.h>

#include "catch.h"

namespace tensor_test {

using namespace cornu;

TEST_CASE("tensors keep what they are made from") {
  const Tensor x = Tensor::from({1.5f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f}, {2, 3});
  CHECK(x.shape() == Shape{2, 3});
  CHECK(x.dtype() == DType::float32);
  CHECK(x.shape(-1) == 3);
  CHECK(x.rank() == 2);
  CHECK(x.size() == 6);
  CHECK(x.bytes() == 24);
  CHECK(x.is_eager());
  CHECK_FALSE(x.is_symbolic());
  CHECK(x.to_vector<int32_t>() == std::vector<int32_t>{1, 2, 3, 4, 5, 6});
  CHECK(x.values<float>()[5] == 6);
  CHECK(Tensor(std::vector<int64_t>{7, 8}).dtype() == DType::int64);
  CHECK(x.spec().str() == "float32 (2, 3)");
  CHECK(Tensor::from(std::vector<double>{}, {0, 4}).bytes() == 0);
}

TEST_CASE("numbers are weak scalars") {
  CHECK(Tensor(1).dtype() == DType::int32);
  CHECK(Tensor(int64_t{1} << 40).dtype() == DType::int64);
  CHECK(Tensor(int64_t{1} << 40).item() == 1099511627776.0);
  CHECK(Tensor(true).dtype() == DType::boolean);
  CHECK(Tensor(2.5f).dtype() == DType::float32);
  CHECK(Tensor(2.5).is_weak());
  CHECK(Tensor(2.5).item() == 2.5);
  CHECK_FALSE((Tensor(2.5) + Tensor(1.0)).is_weak());
}

TEST_CASE("copies share, and a copy's end leaves the others alone") {
  Tensor empty;
  CHECK_FALSE(empty);
  Tensor x = ops::ones({3});
  CHECK(x.unique());
  {
    const Tensor copy = x;
    CHECK(copy.impl() == x.impl());
    CHECK_FALSE(x.unique());
    const Tensor flat = x.with_shape({1, 3});
    CHECK(flat.data() == x.data());
    CHECK(x.detached().data() == x.data());
    CHECK(x.detached().impl() != x.impl());
  }
  CHECK(x.unique());
  const Tensor moved = std::move(x);
  CHECK(ops::sum(moved).item() == 3);
}

TEST_CASE("memory comes back when tensors go") {
  const size_t before = memory::stats().live;
  {
    const Tensor x = ops::ones({1000});
    const Tensor y = ops::reshape(x, {10, 100}) + 1.0;
    CHECK(memory::stats().live >= before + 8000);
  }
  CHECK(memory::stats().live == before);
  memory::set_limit(before + 1000);
  CHECK_THROWS_AS(ops::ones({1000000}), MemoryError);
  memory::set_limit(0);
  CHECK(ops::ones({1000000}).size() == 1000000);
}

TEST_CASE("sizes whose product wraps are refused") {
  constexpr int64_t half = int64_t{1} << 32;
  for (const Shape& shape : {Shape{int64_t{1} << 61}, Shape{half, half}, Shape{half, half / 2}}) {
    INFO(shape);
    CHECK_THROWS_AS(ops::zeros(shape, DType::float64), ShapeError);
    CHECK_THROWS_AS(Tensor::empty(shape, DType::float64), ShapeError);
    backend::Backend& backend = Device::cpu().backend();
    CHECK_THROWS_AS(Tensor::meta(shape, DType::float64, backend), ShapeError);
    alignas(64) const double values[8] = {};
    CHECK_THROWS_AS(Tensor::from_blob(values, shape, DType::float64, {}, backend), ShapeError);
    const Tensor owner = ops::zeros({2}, DType::float64);
    CHECK_THROWS_AS(Tensor::part_of(owner, owner.data(), shape, DType::float64), ShapeError);
  }
  CHECK_THROWS_WITH(ops::zeros({half, half}),
                    "a float32 tensor of shape (4294967296, 4294967296): expected at most 2^63 - 1 "
                    "bytes, found more. Give smaller sizes.");
  // Nothing is there to count.
  CHECK(ops::zeros({0, half, half}).bytes() == 0);
}

TEST_CASE("masks belong to a handle") {
  Tensor x = ops::ones({2, 3});
  const Tensor same = x;
  CHECK_FALSE(x.mask());
  x.set_mask(Tensor(std::vector<int>{1, 0}));
  CHECK(x.mask().to_vector<int32_t>() == std::vector<int32_t>{1, 0});
  CHECK(x.data() == same.data());
  CHECK_FALSE(same.mask());
  CHECK_FALSE(x.detached().mask());
  x.set_mask({});
  CHECK_FALSE(x.mask());
  CHECK(same.with_mask(Tensor(true)).mask());
}

TEST_CASE("tensors print their spec and first values") {
  CHECK(Tensor::from({1.0f, 2.5f}, {2}).str() == "<float32 (2,): [1, 2.5]>");
  CHECK(ops::zeros({20}).str().find(", ...]>") != std::string::npos);
  CHECK(Tensor::abstract({2}, DType::int8).str() == "<int8 (2,), abstract>");
  CHECK(Tensor().str() == "<no tensor>");
  CHECK(Input({3}).str() == "<float32 (None, 3), symbolic>");
}

TEST_CASE("tensors say what they cannot give") {
  const Tensor x = ops::zeros({2, 3});
  CHECK_THROWS_WITH(x.item(), "Tensor::item: needs exactly one element, found shape (2, 3)");
  CHECK_THROWS_WITH(x.values<double>(),
                    "Tensor::values: asked for float64 values of a float32 tensor of shape (2, 3). "
                    "Use to_vector to "
                    "convert, or ops::cast.");
  CHECK_THROWS_WITH(Tensor::from({1, 2, 3}, {2, 2}),
                    "Tensor::from: 3 values do not fill shape (2, 2), which has 4");
  CHECK_THROWS_AS(x.shape(2), ShapeError);
  CHECK_THROWS_WITH(
      Tensor::abstract({2}, DType::float32).data(),
      "This float32 tensor of shape (2,) has no values: it is a stand-in used to infer shapes.");
  CHECK_THROWS_AS(Input({3}).to_vector<float>(), StateError);
}

TEST_CASE("a tensor of one element converts to a number where that is asked for") {
  const Tensor x = Tensor::from({1.5f, -2.75f}, {2});
  CHECK(float(ops::sum(x)) == -1.25f);
  CHECK(double(x[0]) == 1.5);
  CHECK(static_cast<int>(x[1]) == -2);
  CHECK(size_t(Tensor::from({7}, {1, 1})) == 7);
  // Beyond what a double holds.
  const int64_t large = (int64_t{1} << 62) + 1;
  CHECK(int64_t(Tensor::from({large}, {})) == large);
  CHECK_THROWS_WITH(double(x), "Tensor::item: needs exactly one element, found shape (2,)");
  CHECK_THROWS_AS(int(x), ShapeError);
  CHECK_THROWS_AS(float(ops::sum(Input({3}))), Error);
  // Nothing becomes a number by itself, and a bool is still whether there is a tensor.
  STATIC_REQUIRE(!std::is_convertible_v<Tensor, double>);
  STATIC_REQUIRE(!std::is_convertible_v<Tensor, int64_t>);
  CHECK(bool(Tensor(0)));
  CHECK_FALSE(bool(Tensor()));
  CHECK(x.ndim() == 1);
}

TEST_CASE("tensors are made from vectors of bools and of strings") {
  const Tensor flags = Tensor::from(std::vector<bool>{true, false, true, true}, {2, 2});
  CHECK(flags.dtype() == DType::boolean);
  CHECK(flags.shape() == Shape{2, 2});
  CHECK(flags.to_vector<bool>() == std::vector<bool>{true, false, true, true});
  CHECK(Tensor(std::vector<bool>{false, true}).to_vector<bool>() == std::vector<bool>{false, true});
  CHECK_THROWS_AS(Tensor::from(std::vector<bool>{true}, {2}), ShapeError);
  const Tensor words = Tensor::from<std::string>({"a", "b"}, {2, 1});
  CHECK(words.shape() == Shape{2, 1});
  CHECK(words.to_strings() == std::vector<std::string>{"a", "b"});
  const std::vector<std::string> list{"c", "d", "e"};
  CHECK(Tensor::from<std::string>(list, {3}).to_strings() == list);
  CHECK_THROWS_AS(Tensor::from<std::string>({"a", "b"}, {3}), ShapeError);
}

TEST_CASE("what an empty handle is asked for is an error that says so") {
  const Tensor none, one(std::vector<float>{1, 2});
  const auto refused = Catch::Contains("found an empty handle");
  CHECK_FALSE(none);
  CHECK_THROWS_WITH(none.shape(), refused);
  CHECK_THROWS_WITH(none.rank(), refused);
  CHECK_THROWS_WITH(none.dtype(), refused);
  CHECK_THROWS_WITH(none.spec(), refused);
  CHECK_THROWS_WITH(none.size(), refused);
  CHECK_THROWS_WITH(none.device(), refused);
  CHECK_THROWS_WITH(none.item(), refused);
  CHECK_THROWS_WITH(none.to_vector<float>(), refused);
  CHECK_THROWS_WITH(none.values<float>(), refused);
  CHECK_THROWS_WITH(none.to(Device::cpu()), refused);
  CHECK_THROWS_WITH(none[0], refused);
  CHECK_THROWS_WITH(none.mask(), refused);
  CHECK_THROWS_WITH(none.with_mask(one), refused);
  CHECK_THROWS_WITH(none.with_shape({2}), refused);
  CHECK_THROWS_WITH(none.detached(), refused);
  CHECK_THROWS_WITH(none.fresh_alias(), refused);
  CHECK_THROWS_WITH(none.duplicate(), refused);
  CHECK_THROWS_WITH(none.string_table(), refused);
  CHECK_THROWS_WITH(none.to_strings(), refused);
  CHECK_THROWS_WITH(Tensor::part_of(none, nullptr, {1}, DType::float32), refused);
  CHECK_THROWS_WITH(none + 1, refused);
  CHECK_THROWS_WITH(one * none, refused);
  CHECK_THROWS_WITH(ops::sum(none), refused);
  CHECK_THROWS_WITH(ops::reshape(none, {-1}), refused);
  CHECK_THROWS_WITH(ops::matmul(one, none), refused);
  CHECK_THROWS_WITH(ops::concatenate({one, none}), refused);
}

}  // namespace tensor_test
