// Memory of other libraries as tensors, and the reverse.
#include <catch.h>
#include <cornu/framework/compile/function.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/framework/tensor/dlpack.h>

#include <array>

#include "support/dlpack_structs.h"
#include "support/matchers.h"

namespace dlpack_test {

using namespace cornu;
using cornu::test::contains;

namespace {

// A tensor of another library: 4 x 6 floats from 0 on, of which it tells a part.
struct Foreign {
  alignas(64) std::array<float, 24> values{};
  std::vector<int64_t> shape = {4, 6}, strides = {6, 1};
  int deleted = 0;
  DLManagedTensor managed{};

  Foreign() {
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
    managed = {{values.data(), {1, 0}, 2, {2, 32, 1}, shape.data(), strides.data(), 0},
               this,
               [](DLManagedTensor* self) { ++static_cast<Foreign*>(self->manager_ctx)->deleted; }};
  }
};

struct Deleter {
  void operator()(DLManagedTensor* managed) const { managed->deleter(managed); }
};
using Managed = std::unique_ptr<DLManagedTensor, Deleter>;

}  // namespace

TEST_CASE("a tensor of another library is taken over without a copy") {
  Foreign foreign;
  {
    Tensor x = from_dlpack(&foreign.managed);
    CHECK(x.data() == foreign.values.data());
    CHECK(x.spec() == TensorSpec{{4, 6}, DType::float32});
    CHECK(x.device().is_cpu());
    const Tensor part = ops::reshape(x, {24});
    x = {};
    CHECK(foreign.deleted == 0);
    CHECK(ops::sum(part).item() == 276);
  }
  CHECK(foreign.deleted == 1);
}

TEST_CASE("strides, offsets and odd addresses are copied") {
  SECTION("a transposed tensor") {
    Foreign foreign;
    foreign.shape = {6, 4};
    foreign.strides = {1, 6};
    const Tensor x = from_dlpack(&foreign.managed);
    CHECK(foreign.deleted == 1);
    CHECK(x.to_vector<float>() ==
          ops::transpose(ops::reshape(ops::arange(24.0), {4, 6})).to_vector<float>());
  }
  SECTION("every other column, from the second row on") {
    Foreign foreign;
    foreign.shape = {2, 3};
    foreign.strides = {6, 2};
    foreign.managed.dl_tensor.byte_offset = 6 * sizeof(float);
    const Tensor x = from_dlpack(&foreign.managed);
    CHECK(x.to_vector<float>() == std::vector<float>{6, 8, 10, 12, 14, 16});
  }
  SECTION("dense, but not aligned") {
    Foreign foreign;
    foreign.shape = {5};
    foreign.managed.dl_tensor.ndim = 1;
    foreign.managed.dl_tensor.strides = nullptr;
    foreign.managed.dl_tensor.byte_offset = 3 * sizeof(float);
    const Tensor x = from_dlpack(&foreign.managed);
    CHECK(foreign.deleted == 1);
    CHECK(x.to_vector<float>() == std::vector<float>{3, 4, 5, 6, 7});
  }
  SECTION("nothing") {
    Foreign foreign;
    foreign.shape = {0, 6};
    CHECK(from_dlpack(&foreign.managed).shape() == Shape{0, 6});
    CHECK(foreign.deleted == 1);
  }
}

TEST_CASE("what a tensor cannot be is said, and given back") {
  CHECK_THROWS_AS(from_dlpack(nullptr), ValueError);
  Foreign lanes, metal, missing, large;
  lanes.managed.dl_tensor.dtype.lanes = 4;
  CHECK_THROWS_WITH(from_dlpack(&lanes.managed), contains("4 lanes"));
  metal.managed.dl_tensor.device.device_type = 8;
  CHECK_THROWS_WITH(from_dlpack(&metal.managed), contains("no device of type 8"));
  missing.managed.dl_tensor.device = {2, 99};
  CHECK_THROWS_WITH(from_dlpack(&missing.managed), contains("cuda:99"));
  // The number of elements would wrap to 0.
  large.shape = {int64_t{1} << 32, int64_t{1} << 32};
  CHECK_THROWS_AS(from_dlpack(&large.managed), ShapeError);
  CHECK(lanes.deleted + metal.deleted + missing.deleted + large.deleted == 4);
  CHECK_THROWS_AS(to_dlpack({}), ValueError);
  CHECK_THROWS_AS(to_dlpack(Tensor::abstract({2}, DType::float32)), ValueError);
  CHECK_THROWS_WITH(to_dlpack(Tensor(std::vector<std::string>{"a"})),
                    contains("no type for string"));
}

TEST_CASE("a tensor goes out without a copy, and stays as long as it is used") {
  const DeviceScope scope(Device::cpu());
  Tensor x = ops::reshape(ops::arange(6.0), {2, 3});
  const void* const data = x.data();
  const Managed managed(to_dlpack(x));
  x = {};
  const DLTensor& out = managed->dl_tensor;
  CHECK(out.data == data);
  CHECK(out.ndim == 2);
  CHECK(out.shape[0] == 2);
  CHECK(out.shape[1] == 3);
  CHECK(out.dtype.code == 2);
  CHECK(out.dtype.bits == 32);
  CHECK(static_cast<const float*>(out.data)[5] == 5);
}

TEST_CASE("every type of elements goes out and comes back") {
  const DeviceScope scope(Device::cpu());
  for (const char* dtype : {"bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32",
                            "int64", "float16", "bfloat16", "float32", "float64"}) {
    CAPTURE(dtype);
    const Tensor x = ops::cast(ops::arange(4.0), dtype);
    const Tensor y = from_dlpack(to_dlpack(x));
    CHECK(y.spec() == x.spec());
    CHECK(y.to_vector<double>() == x.to_vector<double>());
  }
  const Tensor z = ops::view_as_complex(ops::reshape(ops::arange(6.0), {3, 2}));
  CHECK(from_dlpack(to_dlpack(z)).spec() == z.spec());
  CHECK(from_dlpack(to_dlpack(2.5)).item() == 2.5);
}

TEST_CASE("nobody writes into memory of another library") {
  Foreign foreign;
  Function step([](const Nest& x) { return Nest(ops::exp(x.tensor() * 2.0) + 1.0); });
  for (int i = 0; i < 4; ++i) {
    foreign.deleted = 0;
    Tensor y = step(from_dlpack(&foreign.managed));
    CHECK(y.data() != foreign.values.data());
    y = from_dlpack(&foreign.managed) + 1.0;
    CHECK(foreign.values[5] == 5);
  }
}

TEST_CASE("an array of the program's is a tensor without a copy") {
  const auto numbers = std::make_shared<Foreign>();
  const std::weak_ptr<Foreign> watch = numbers;
  Tensor x = Tensor::from_blob(numbers->values.data(), {24}, numbers);
  CHECK(x.data() == numbers->values.data());
  CHECK(ops::max(x).item() == 23);
  CHECK(watch.use_count() == 2);
  const Tensor odd = Tensor::from_blob(numbers->values.data() + 1, {3}, numbers);
  CHECK(odd.to_vector<float>() == std::vector<float>{1, 2, 3});
  CHECK(watch.use_count() == 2);
  x = {};
  CHECK(watch.use_count() == 1);
}

}  // namespace dlpack_test
