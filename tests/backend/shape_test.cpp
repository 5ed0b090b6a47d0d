// Shapes: construction, editing, printing, broadcasting.
#include <catch.h>
#include <cornu/backend/error.h>
#include <cornu/backend/shape.h>

namespace shape_test {

using namespace cornu;

TEST_CASE("Shape prints as Keras shows shapes") {
  CHECK(Shape{}.str() == "()");
  CHECK(Shape{3}.str() == "(3,)");
  CHECK(Shape{std::nullopt, 8, 8, 1}.str() == "(None, 8, 8, 1)");
}

TEST_CASE("Shape knows its axes") {
  const Shape shape = {2, 3, 4};
  CHECK(shape.rank() == 3);
  CHECK(shape.numel() == 24);
  CHECK(Shape{}.numel() == 1);
  CHECK(shape.at(-1) == 4);
  CHECK(shape.at(0) == 2);
  CHECK_THROWS_AS(shape.at(3), ShapeError);
  CHECK_THROWS_AS(shape.at(-4), ShapeError);
  CHECK(shape.known());
  CHECK_FALSE(Shape{std::nullopt, 3}.known());
  CHECK(shape.vec() == std::vector<int64_t>{2, 3, 4});
  CHECK(Shape(std::vector<int64_t>{2, 3, 4}) == shape);
  CHECK(shape != Shape{2, 3});
  CHECK(shape != Shape{2, 3, 5});
  CHECK_THROWS_AS(Shape(std::vector<int64_t>(Shape::max_rank + 1, 1)), ShapeError);
}

TEST_CASE("Shape is edited axis by axis") {
  Shape shape = {2, 3};
  shape.push_back(4);
  shape.insert(0, 1);
  shape.insert(2, 9);
  CHECK(shape == Shape{1, 2, 9, 3, 4});
  shape.erase(2);
  CHECK(shape == Shape{1, 2, 3, 4});
  CHECK(shape.slice(1, 3) == Shape{2, 3});
  CHECK(shape.slice(2) == Shape{3, 4});
  CHECK(shape.slice(4) == Shape{});
  CHECK_THROWS_AS(shape.slice(3, 2), ShapeError);
  CHECK_THROWS_AS(shape.slice(0, 5), ShapeError);
  CHECK_THROWS_AS(shape.erase(4), ShapeError);
  CHECK_THROWS_AS(shape.insert(5, 1), ShapeError);
  CHECK(concat({1, 2}, {3}) == Shape{1, 2, 3});
  Shape full(std::vector<int64_t>(Shape::max_rank, 1));
  CHECK_THROWS_AS(full.push_back(1), ShapeError);
  CHECK_THROWS_AS(concat(full, {1}), ShapeError);
}

TEST_CASE("Shapes broadcast by NumPy's rule") {
  CHECK(broadcast({2, 3}, {3}) == Shape{2, 3});
  CHECK(broadcast({3}, {2, 1}) == Shape{2, 3});
  CHECK(broadcast({}, {2, 3}) == Shape{2, 3});
  CHECK(broadcast({1}, {0}) == Shape{0});
  CHECK(broadcast({std::nullopt, 3}, {1, 3}) == Shape{std::nullopt, 3});
  CHECK(broadcast({1, 3}, {std::nullopt, 3}) == Shape{std::nullopt, 3});
  CHECK(broadcast({std::nullopt, 3}, {5, 1}) == Shape{5, 3});
  CHECK(broadcast({5}, {std::nullopt}) == Shape{5});
  CHECK_THROWS_AS(broadcast({2, 3}, {2}), ShapeError);
  CHECK_THROWS_AS(broadcast({0}, {2}), ShapeError);
}

TEST_CASE("Axes count from either end") {
  CHECK(normalize_axis(-1, 3) == 2);
  CHECK(normalize_axis(0, 3) == 0);
  CHECK_THROWS_AS(normalize_axis(3, 3), ShapeError);
  CHECK_THROWS_AS(normalize_axis(-4, 3), ShapeError);
  CHECK_THROWS_AS(normalize_axis(0, 0), ShapeError);
  CHECK_THROWS_AS(normalize_axis(int64_t{1} << 40, 3), ShapeError);
}

TEST_CASE("axes of a shape count from the end too") {
  Shape s{2, 3, 4};
  CHECK(s[-1] == 4);
  CHECK(s[-3] == 2);
  CHECK(std::as_const(s)[-2] == 3);
  s[-1] = 5;
  CHECK(s == Shape{2, 3, 5});
  CHECK(Shape(7) == Shape{7});
}

}  // namespace shape_test
