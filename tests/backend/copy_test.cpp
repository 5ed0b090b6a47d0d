// The copy kernel against a loop over single elements.
#include <catch.h>

#include <algorithm>
#include <numeric>

#include "array.h"

namespace copy_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

View dense_view(const Shape& shape) {
  View view;
  view.strides.resize(static_cast<size_t>(shape.rank()));
  int64_t stride = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    view.strides[static_cast<size_t>(i)] = stride;
    stride *= shape[i];
  }
  return view;
}

// Element by element, in the order of the parts.
Array reference(const Copy& kernel, const std::vector<Array*>& inputs, DType dtype) {
  Array out(dtype, kernel.shape);
  if (!kernel.covers)
    for (int64_t i = 0; i < out.numel(); ++i) out.set(i, kernel.fill);
  const size_t size = size_of(dtype);
  for (size_t p = 0; p < kernel.parts.size(); ++p) {
    const Copy::Part& part = kernel.parts[p];
    for (int64_t i = 0; i < part.sizes.numel(); ++i) {
      int64_t from = part.from.offset, to = part.to.offset, rest = i;
      for (int axis = part.sizes.rank() - 1; axis >= 0; --axis) {
        const int64_t place = rest % part.sizes[axis];
        rest /= part.sizes[axis];
        from += place * part.from.strides[static_cast<size_t>(axis)];
        to += place * part.to.strides[static_cast<size_t>(axis)];
      }
      std::memcpy(out.data() + static_cast<size_t>(to) * size,
                  inputs[p]->data() + static_cast<size_t>(from) * size, size);
    }
  }
  return out;
}

void check(const Copy& kernel, const std::vector<Array*>& inputs) {
  Array out(inputs[0]->dtype(), kernel.shape);
  run(kernel, inputs, {&out});
  REQUIRE(out == reference(kernel, inputs, out.dtype()));
}

Copy transpose(const Shape& shape, const std::vector<int>& axes) {
  Copy::Part part;
  const View from = dense_view(shape);
  for (int axis : axes) {
    part.sizes.push_back(shape[axis]);
    part.from.strides.push_back(from.strides[static_cast<size_t>(axis)]);
  }
  part.to = dense_view(part.sizes);
  return {.parts = {part}, .shape = part.sizes};
}

Shape random_shape(std::mt19937& generator, int rank, int64_t low, int64_t high) {
  Shape shape;
  for (int i = 0; i < rank; ++i) shape.push_back(random_int(generator, low, high));
  return shape;
}

}  // namespace

TEST_CASE("copy transposes every shape and dtype") {
  std::mt19937 generator(1);
  for (int trial = 0; trial < 300; ++trial) {
    const DType dtype = all_dtypes[trial % dtype_count];
    const int rank = static_cast<int>(random_int(generator, 0, 5));
    const Shape shape = random_shape(generator, rank, trial % 10 == 0 ? 0 : 1, rank < 3 ? 70 : 9);
    std::vector<int> axes(static_cast<size_t>(rank));
    std::iota(axes.begin(), axes.end(), 0);
    std::shuffle(axes.begin(), axes.end(), generator);
    Array x = random_array(generator, dtype, shape);
    check(transpose(shape, axes), {&x});
  }
}

TEST_CASE("copy handles ten axes") {
  std::mt19937 generator(2);
  Array x = random_array(generator, DType::int16, {2, 3, 2, 1, 2, 3, 1, 2, 2, 2});
  check(transpose(x.shape(), {9, 3, 1, 5, 0, 2, 8, 4, 7, 6}), {&x});
  check(transpose(x.shape(), {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), {&x});
}

TEST_CASE("copy moves boxes between strided views with fill around them") {
  std::mt19937 generator(3);
  for (int trial = 0; trial < 400; ++trial) {
    const DType dtype = all_dtypes[trial % dtype_count];
    const int rank = static_cast<int>(random_int(generator, 1, 4));
    Copy::Part part;
    Shape source;
    Copy kernel{.parts = {}, .shape = {}, .fill = 1, .covers = false};
    std::vector<int64_t> from_steps, to_steps;
    for (int i = 0; i < rank; ++i) {
      part.sizes.push_back(random_int(generator, trial % 9 == 0 ? 0 : 1, 12));
      // A step of 0 broadcasts, a negative one flips.
      const int64_t from = random_int(generator, -2, 3), to = random_int(generator, 1, 3);
      from_steps.push_back(from);
      to_steps.push_back(random_int(generator, 0, 3) == 0 ? -to : to);
      source.push_back(std::max<int64_t>(1, std::abs(from) * part.sizes[i]));
      kernel.shape.push_back(to * part.sizes[i] + random_int(generator, 0, 2));
    }
    part.from = dense_view(source);
    part.to = dense_view(kernel.shape);
    for (size_t i = 0; i < from_steps.size(); ++i) {
      const int64_t last = std::max<int64_t>(0, part.sizes[static_cast<int>(i)] - 1);
      if (from_steps[i] < 0) part.from.offset -= last * from_steps[i] * part.from.strides[i];
      if (to_steps[i] < 0) part.to.offset -= last * to_steps[i] * part.to.strides[i];
      part.from.strides[i] *= from_steps[i];
      part.to.strides[i] *= to_steps[i];
    }
    kernel.parts = {part};
    Array x = random_array(generator, dtype, source, 2, 100);
    check(kernel, {&x});
  }
}

TEST_CASE("copy concatenates along any axis") {
  std::mt19937 generator(4);
  for (int axis = 0; axis < 3; ++axis) {
    Copy kernel{.parts = {}, .shape = {4, 5, 6}};
    std::vector<Array> arrays;
    kernel.shape[axis] = 0;
    const int64_t lengths[] = {1, 0, 7, 3};
    for (int64_t length : lengths) {
      Shape shape = kernel.shape;
      shape[axis] = length;
      arrays.push_back(random_array(generator, DType::float32, shape));
    }
    kernel.shape[axis] = 11;
    int64_t place = 0;
    for (const Array& array : arrays) {
      Copy::Part part{array.shape(), dense_view(array.shape()), dense_view(kernel.shape)};
      part.to.offset = place * part.to.strides[static_cast<size_t>(axis)];
      place += array.shape()[axis];
      kernel.parts.push_back(part);
    }
    std::vector<Array*> inputs;
    for (Array& array : arrays) inputs.push_back(&array);
    check(kernel, inputs);
  }
}

TEST_CASE("copy fills with the nearest value of the dtype") {
  const auto filled = [](DType dtype, double value) {
    Array out(dtype, {3});
    run(Copy{.parts = {}, .shape = {3}, .fill = value, .covers = false}, {}, {&out});
    CHECK(out[0] == out[2]);
    return out[2];
  };
  CHECK(filled(DType::boolean, 0.5) == 1);
  CHECK(filled(DType::uint8, 300) == 255);
  CHECK(filled(DType::uint8, -1) == 0);
  CHECK(filled(DType::int8, -1e300) == -128);
  CHECK(filled(DType::int32, -2.7) == -2);
  CHECK(filled(DType::uint64, 1e300) == 0x1p64);
  CHECK(filled(DType::float16, 0.5) == 0.5);
  CHECK(filled(DType::bfloat16, -1.5) == -1.5);
  CHECK(std::isinf(filled(DType::float32, -std::numeric_limits<double>::infinity())));
  CHECK(filled(DType::int64, std::numeric_limits<double>::quiet_NaN()) == 0);
}

TEST_CASE("large copies give the same on several threads") {
  std::mt19937 generator(5);
  ThreadsScope scope(3);
  for (DType dtype : {DType::uint8, DType::bfloat16, DType::float32, DType::float64}) {
    Array x = random_array(generator, dtype, {3, 250, 301});
    check(transpose(x.shape(), {0, 1, 2}), {&x});
    check(transpose(x.shape(), {0, 2, 1}), {&x});
    check(transpose(x.shape(), {2, 1, 0}), {&x});
    check(transpose(x.shape(), {1, 0, 2}), {&x});
  }
  Array one = random_array(generator, DType::float32, {2, 1});
  Copy tile{.parts = {{{2, 200000}, {0, {1, 0}}, {0, {200000, 1}}}}, .shape = {2, 200000}};
  check(tile, {&one});
}

}  // namespace copy_test
