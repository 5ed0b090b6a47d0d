// Joining, splitting, turning, and tensors made from nothing.
#include <cornu/framework/model/input.h>
#include <cornu/framework/ops/catalog.h>
#include <cornu/framework/ops/ops.h>

#include <cmath>
#include <limits>

#include "catch.h"
#include "op_goldens.h"
#include "support/all_close.h"

namespace arranging_ops_test {

using namespace cornu;

namespace {

std::vector<int32_t> read(const Tensor& t) { return t.to_vector<int32_t>(); }

}  // namespace

TEST_CASE("a window found by name takes its size from a tensor") {
  const OpInfo* info = op_catalog().find("keras.src.ops.numpy", "Bartlett");
  const std::vector<float> three = {0, 1, 0};
  CHECK(info->call({Tensor(3.0f)}).tensor().to_vector<float>() == three);
  CHECK(info->call({3.7}).tensor().to_vector<float>() == three);
  CHECK(info->call({3}).tensor().to_vector<float>() == three);
}

TEST_CASE("stacks and splits by their short names") {
  const Tensor v = ops::arange(0, 3), m = ops::reshape(ops::arange(0, 6), {2, 3});
  CHECK(ops::hstack({v, v}).shape() == Shape{6});
  CHECK(ops::hstack({m, m}).shape() == Shape{2, 6});
  CHECK(ops::vstack({v, v}).shape() == Shape{2, 3});
  CHECK(ops::dstack({v, v}).shape() == Shape{1, 3, 2});
  CHECK(ops::dstack({m, m}).shape() == Shape{2, 3, 2});
  CHECK(read(ops::append(v, m)) == std::vector<int32_t>{0, 1, 2, 0, 1, 2, 3, 4, 5});
  CHECK(ops::hsplit(v, 3).size() == 3);
  CHECK(ops::hsplit(m, std::vector<int64_t>{1})[1].shape() == Shape{2, 2});
  CHECK(ops::vsplit(m, 2)[0].shape() == Shape{1, 3});
  CHECK(ops::dsplit(ops::zeros({1, 2, 4}), 2)[0].shape() == Shape{1, 2, 2});
  const auto parts = ops::array_split(ops::arange(0, 7), 3);
  CHECK(parts[0].size() == 3);
  CHECK(parts[1].size() == 2);
  CHECK(read(parts[2]) == std::vector<int32_t>{5, 6});
}

TEST_CASE("turning and rolling") {
  const Tensor m = ops::reshape(ops::arange(0, 4), {2, 2});
  CHECK(read(ops::rot90(m)) == std::vector<int32_t>{1, 3, 0, 2});
  CHECK(read(ops::rot90(m, 2)) == std::vector<int32_t>{3, 2, 1, 0});
  CHECK(read(ops::rot90(m, -1)) == std::vector<int32_t>{2, 0, 3, 1});
  CHECK(read(ops::flipud(m)) == std::vector<int32_t>{2, 3, 0, 1});
  CHECK(read(ops::fliplr(m)) == std::vector<int32_t>{1, 0, 3, 2});
  CHECK(read(ops::roll(m, 1)) == std::vector<int32_t>{3, 0, 1, 2});
  CHECK(read(ops::roll(m, -1, 0)) == std::vector<int32_t>{2, 3, 0, 1});
  CHECK(read(ops::roll(m, {1, 1}, {0, 1})) == std::vector<int32_t>{3, 2, 1, 0});
  const auto grid = ops::meshgrid({ops::arange(0, 2), ops::arange(0, 3)});
  CHECK(read(grid[0]) == std::vector<int32_t>{0, 1, 0, 1, 0, 1});
  CHECK(ops::meshgrid({ops::arange(0, 2), ops::arange(0, 3)}, "ij")[0].shape() == Shape{2, 3});
  CHECK(ops::meshgrid({Input(Shape{}), Input(Shape{})})[0].shape() ==
        Shape{std::nullopt, std::nullopt});
  CHECK(ops::roll(Input({4}), 1, 1).shape() == Shape{std::nullopt, 4});
}

TEST_CASE("lines and windows") {
  CHECK(ops::linspace(0, 1, 5).to_vector<float>() == std::vector<float>{0, 0.25f, 0.5f, 0.75f, 1});
  CHECK(ops::linspace(0, 1, 4, false).to_vector<float>() ==
        std::vector<float>{0, 0.25f, 0.5f, 0.75f});
  CHECK(read(ops::linspace(0, 10, 4, true, DType::int32)) == std::vector<int32_t>{0, 3, 6, 10});
  CHECK(ops::linspace(ops::zeros({2, 3}), 1, 5, true, {}, 1).shape() == Shape{2, 5, 3});
  CHECK(ops::linspace(Input({2}), 1, 5).shape() == Shape{5, std::nullopt, 2});
  const Tensor far = Tensor::from({8.0f, 27.0f}, {1, 2});
  const Tensor steps = ops::geomspace(1.0, far, 4);
  CHECK(steps.shape() == Shape{4, 1, 2});
  CHECK(test::all_close(steps, Tensor::from({1.f, 1.f, 2.f, 3.f, 4.f, 9.f, 8.f, 27.f}, {4, 1, 2}),
                        1e-5, 1e-5));
  CHECK(ops::geomspace(far, 1.0, 3, true, {}, -1).shape() == Shape{1, 2, 3});
  CHECK(ops::logspace(0, 2, 3).to_vector<float>()[2] == Approx(100));
  CHECK(ops::geomspace(-1, -1000, 4).to_vector<float>()[1] == Approx(-10));
  CHECK(read(ops::geomspace(1, 100, 4, true, DType::int32)) == std::vector<int32_t>{1, 4, 21, 100});
  CHECK(read(ops::geomspace(1, 1000, 4, true, DType::int32)) ==
        std::vector<int32_t>{1, 10, 100, 1000});
  CHECK(read(ops::arange(0.5, 4.2, 0.7, DType::int32)) == std::vector<int32_t>(6, 0));
  CHECK(read(ops::arange(0, 8, 2.5, DType::int32)) == std::vector<int32_t>{0, 2, 4, 6});
  CHECK(read(ops::arange(4.7, 0.5, -0.7, DType::int8)) == std::vector<int32_t>(7, 4));
  CHECK(read(ops::arange(-2.5, 2.5, 1, DType::int32)) == std::vector<int32_t>{-2, -1, 0, 1, 2});
  CHECK(ops::hanning(3).to_vector<float>() == std::vector<float>{0, 1, 0});
  CHECK(ops::bartlett(5).to_vector<float>() == std::vector<float>{0, 0.5f, 1, 0.5f, 0});
  CHECK(ops::hamming(1).item() == 1);
  CHECK(ops::kaiser(3, 14).to_vector<float>()[0] == Approx(7.726867e-06));
  CHECK(ops::blackman(4).to_vector<float>()[1] == Approx(0.63));
}

TEST_CASE("closeness, signs and choices") {
  const float nan = std::nanf("");
  const Tensor x = Tensor::from({1.0f, -0.0f, nan, INFINITY, -INFINITY}, {5});
  CHECK(ops::isclose(x, x).to_vector<bool>() == std::vector<bool>{true, true, false, true, true});
  CHECK(ops::allclose(x, x, 1e-5, 1e-8, true).item() == 1);
  CHECK(ops::isclose(Tensor::from({1.0f}, {1}), Tensor::from({1.05f}, {1}), 0.1).item() == 1);
  CHECK(ops::signbit(x).to_vector<bool>() == std::vector<bool>{false, true, false, false, true});
  CHECK(ops::isneginf(x).to_vector<bool>()[4]);
  CHECK(ops::isposinf(x).to_vector<bool>()[3]);
  const auto finite = ops::nan_to_num(x, 7.0).to_vector<float>();
  CHECK(finite[2] == 7);
  CHECK(finite[4] == -std::numeric_limits<float>::max());
  const auto wide = ops::nan_to_num(ops::cast(x, DType::float64)).to_vector<double>();
  CHECK(wide[3] == std::numeric_limits<double>::max());
  CHECK(wide[4] == -std::numeric_limits<double>::max());
  const Tensor v = ops::arange(0, 4);
  CHECK(read(ops::select({v < 1, v < 3}, {v, v * 10}, -1)) == std::vector<int32_t>{0, 10, 20, -1});
}

TEST_CASE("casts that saturate, and views of bytes") {
  const Tensor x = Tensor::from({-1e9f, 300.0f, 1e38f}, {3});
  CHECK(read(ops::saturate_cast(x, DType::uint8)) == std::vector<int32_t>{0, 255, 255});
  CHECK(ops::saturate_cast(x, DType::int32).to_vector<int64_t>()[2] == 2147483520);
  CHECK(ops::saturate_cast(x, DType::float16).to_vector<float>() ==
        std::vector<float>{-65504, 300, 65504});
  CHECK(read(ops::saturate_cast(ops::arange(-2, 2), DType::uint16)) ==
        std::vector<int32_t>{0, 0, 0, 1});
  CHECK(ops::saturate_cast(Tensor::from({-0.5f, 0.0f, 0.5f, 3.0f}, {4}), DType::boolean)
            .to_vector<int32_t>() == std::vector<int32_t>{0, 0, 1, 1});
  CHECK(ops::view(Tensor::from({1.0f}, {1}), DType::int32).item() == 0x3F800000);
  CHECK(ops::view(Tensor::from({1, 2}, {1, 2}), DType::uint8).shape() == Shape{1, 8});
  CHECK_THROWS_AS(ops::view(Tensor::from({1, 2, 3}, {3}), DType::int64), ShapeError);
  CHECK(ops::convert_to_tensor(2).dtype() == DType::int32);
  CHECK(!ops::convert_to_tensor(2).is_weak());
}

TEST_CASE("reductions start from a number") {
  const Tensor x = Tensor::from({1, 5, 3}, {3});
  CHECK(ops::max(x, {}, false, 7.0).item() == 7);
  CHECK(ops::min(x, {}, false, 7.0).item() == 1);
  CHECK(ops::max(ops::zeros({2, 0}), 1, true, 1.0).shape() == Shape{2, 1});
  CHECK(ops::prod(x, {}, false, DType::float32).dtype() == DType::float32);
  CHECK(ops::cumsum(x, 0, DType::float16).dtype() == DType::float16);
  CHECK(ops::argmax(Tensor::from({-0.0f, 0.0f}, {2})).item() == 1);
  CHECK(ops::argmin(Tensor::from({0.0f, -0.0f}, {2})).item() == 1);
}

TEST_CASE("rearrange follows a pattern") {
  const Tensor x = ops::reshape(ops::arange(0, 24), {2, 3, 4});
  CHECK(ops::rearrange(x, "b h c -> b c h").shape() == Shape{2, 4, 3});
  CHECK(ops::rearrange(x, "b h c -> (b h) c").shape() == Shape{6, 4});
  const Tensor y = ops::rearrange(x, "b h (n d) -> n b (d h)", Value::Dict{{"n", 2}});
  CHECK(y.shape() == Shape{2, 2, 6});
  CHECK(read(y)[1] == 4);
  CHECK(ops::rearrange(Input({4, 6}), "b h w -> b (h w)").shape() == Shape{std::nullopt, 24});
  CHECK_THROWS_AS(ops::rearrange(x, "b h -> h b"), ShapeError);
  CHECK_THROWS_AS(ops::rearrange(x, "b h c -> b h d"), ValueError);
  CHECK_THROWS_AS(ops::rearrange(x, "b h (n d) -> b h n d"), ShapeError);
}

}  // namespace arranging_ops_test
