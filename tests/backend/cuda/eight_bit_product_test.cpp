// Products of 8-bit factors with copies around them: the kernels run on the CPU here, in the place
// of a library's.
#include <catch.h>
#include <cornu/backend/cuda/eight_bit_product.h>

#include <random>

#include "../array.h"
#include "host_context.h"

namespace eight_bit_product_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

// A Matmul of 8-bit floats, computed as float32.
class WideProduct final : public Executable {
 public:
  WideProduct(const Matmul& matmul, std::span<const Operand> inputs, const Operand& out)
      : matmul_(matmul) {
    arrays_.emplace_back(*matmul.float8_a, *inputs[0].shape);
    arrays_.emplace_back(*matmul.float8_b, *inputs[1].shape);
    if (matmul.bias) arrays_.emplace_back(out.dtype, *inputs[2].shape);
    arrays_.emplace_back(out.dtype, *out.shape);
  }
  void run(void* const* data) override {
    std::vector<Array*> inputs;
    for (size_t i = 0; i + 1 < arrays_.size(); ++i) {
      std::memcpy(arrays_[i].data(), data[i], bytes(i));
      inputs.push_back(&arrays_[i]);
    }
    testing::run(matmul_, inputs, {&arrays_.back()});
    std::memcpy(data[arrays_.size() - 1], arrays_.back().data(), bytes(arrays_.size() - 1));
  }

 private:
  size_t bytes(size_t i) const {
    return static_cast<size_t>(arrays_[i].numel()) * size_of(arrays_[i].dtype());
  }
  Matmul matmul_;
  std::vector<Array> arrays_;
};

Matmul of_type(Matmul matmul, DType dtype) {
  if (is_float8(dtype)) matmul.float8_a = matmul.float8_b = dtype;
  return matmul;
}

// A product's operands, and the way around it.
struct Product {
  Matmul matmul;
  std::vector<Array> inputs;
  Array found, wanted;
  HostContext context;
  std::unique_ptr<Executable> executable;

  Product(const Matmul& m, const Shape& a, const Shape& b, const Shape& out,
          DType dtype = DType::int8)
      : matmul(of_type(m, dtype)),
        found(is_float8(dtype) ? DType::float32 : DType::int32, out),
        wanted(found) {
    std::mt19937 random(1);
    // All sums are whole numbers that both types hold.
    const int64_t most = is_float8(dtype) ? 15 : 127;
    for (const Shape& shape : {a, b})
      inputs.push_back(random_array(random, dtype, shape, -most, most));
    if (m.bias)
      inputs.push_back(random_array(random, found.dtype(), {out.back()}, -1000000, 1000000));
    const std::vector<Operand> operands = in();
    const Operand to = found.operand();
    executable = cuda::eight_bit_product(
        matmul, cuda::eight_bit_form(matmul, a, b, out), operands, {&to, 1}, context,
        [&](const Matmul& product, std::span<const Operand> factors,
            std::span<const Operand> result) -> std::unique_ptr<Executable> {
          check_form(product, factors, result[0], dtype);
          context.set_path("a library");
          if (is_float8(dtype)) return std::make_unique<WideProduct>(product, factors, result[0]);
          return context.prepare(product, factors, result);
        });
  }

  std::vector<Operand> in() {
    std::vector<Operand> operands;
    for (Array& input : inputs) operands.push_back(input.operand());
    return operands;
  }

  std::vector<void*> addresses() {
    std::vector<void*> all;
    for (Array& input : inputs) all.push_back(input.data());
    all.push_back(found.data());
    return all;
  }

  // What a library's kernels for tensor cores take.
  static void check_form(const Matmul& product, std::span<const Operand> factors,
                         const Operand& result, DType dtype) {
    CHECK_FALSE(product.transpose_a);
    CHECK(product.transpose_b);
    CHECK(factors.size() == (product.bias ? 3 : 2));
    const DType stored = is_float8(dtype) ? DType::uint8 : dtype;
    CHECK(factors[0].dtype == stored);
    CHECK(factors[1].dtype == stored);
    CHECK(result.dtype == (is_float8(dtype) ? DType::float32 : DType::int32));
    CHECK(factors[0].shape->back() % 16 == 0);
    CHECK(result.shape->back() % (is_float8(dtype) ? 16 : 4) == 0);
    CHECK(result.shape->numel() / result.shape->back() >= 32);
    // Who makes it ready comes to the same form.
    CHECK_FALSE(cuda::eight_bit_form(product, *factors[0].shape, *factors[1].shape, *result.shape)
                    .copies());
  }

  void compute_wanted() {
    std::vector<Array*> operands;
    for (Array& input : inputs) operands.push_back(&input);
    testing::run(matmul, operands, {&wanted});
  }
};

bool is_right(const Matmul& matmul, const Shape& a, const Shape& b, const Shape& out,
              DType dtype = DType::int8) {
  Product product(matmul, a, b, out, dtype);
  product.compute_wanted();
  product.executable->run(product.addresses().data());
  return product.found == product.wanted;
}

}  // namespace

TEST_CASE("a product of int8 in rows of whole 16 bytes is taken as it is") {
  CHECK_FALSE(cuda::eight_bit_form({.transpose_b = true}, {32, 48}, {8, 48}, {32, 8}).copies());
  // A batch of the first factor makes rows.
  CHECK_FALSE(
      cuda::eight_bit_form({.transpose_b = true}, {2, 6, 3, 16}, {4, 16}, {2, 6, 3, 4}).copies());
}

TEST_CASE("the operands of a product of int8 are copied where they do not lie so") {
  const auto turned = cuda::eight_bit_form({}, {40, 32}, {32, 8}, {40, 8});
  CHECK_FALSE(turned.copy_a);
  CHECK(turned.copy_b);
  CHECK_FALSE(turned.copy_out);
  CHECK(turned.b == Shape{8, 32});
  const auto longer =
      cuda::eight_bit_form({.transpose_b = true}, {6, 40, 33}, {6, 9, 33}, {6, 40, 9});
  CHECK(longer.copy_a);
  CHECK(longer.copy_b);
  CHECK(longer.copy_out);
  CHECK(longer.a == Shape{6, 40, 48});
  CHECK(longer.b == Shape{6, 12, 48});
  CHECK(longer.out == Shape{6, 40, 12});
  const auto higher = cuda::eight_bit_form({.transpose_b = true}, {1, 32}, {8, 32}, {1, 8});
  CHECK(higher.copy_a);
  CHECK_FALSE(higher.copy_b);
  CHECK(higher.copy_out);
  CHECK(higher.a == Shape{32, 32});
  CHECK(higher.out == Shape{32, 8});
}

TEST_CASE("products of int8 with copies around them are those of the CPU") {
  for (const bool bias : {false, true})
    for (const auto& [k, n] : {std::pair<int64_t, int64_t>{32, 8}, {33, 8}, {32, 9}, {7, 1}})
      for (const bool turned_a : {false, true})
        for (const bool turned_b : {false, true})
          for (const int64_t m : {1, 34}) {
            INFO("m " << m << ", k " << k << ", n " << n << ", transposed " << turned_a << " "
                      << turned_b);
            const Matmul matmul{.transpose_a = turned_a, .transpose_b = turned_b, .bias = bias};
            const Shape a = turned_a ? Shape{k, m} : Shape{m, k};
            const Shape b = turned_b ? Shape{n, k} : Shape{k, n};
            CHECK(is_right(matmul, a, b, {m, n}));
            // Batches of both, of one, and in two patterns.
            CHECK(is_right(matmul, concat({3}, a), concat({3}, b), {3, m, n}));
            CHECK(is_right(matmul, concat({3}, a), b, {3, m, n}));
            CHECK(is_right(matmul, concat({2, 1}, a), concat({1, 3}, b), {2, 3, m, n}));
          }
}

TEST_CASE("copies of factors of int8 that rarely change are kept") {
  Product product({.bias = true}, {5, 33}, {33, 9}, {5, 9});
  CHECK(product.executable->inputs_to_prepack(0b101) == 0b001);
  CHECK(product.executable->inputs_to_prepack(0b110) == 0b010);
  // One that is taken as it is has no copy.
  CHECK(Product({}, {32, 32}, {32, 8}, {32, 8}).executable->inputs_to_prepack(0b11) == 0b10);

  product.compute_wanted();
  product.executable->keep(product.addresses().data());
  for (int64_t i = 0; i < product.inputs[1].numel(); ++i) product.inputs[1].set(i, 99);
  product.executable->run(product.addresses().data());
  CHECK(product.found == product.wanted);
  // They are copied again when they have changed, and the other factor is read by each run.
  product.inputs[0].set(0, 77);
  product.compute_wanted();
  product.executable->keep(product.addresses().data());
  product.executable->run(product.addresses().data());
  CHECK(product.found == product.wanted);
}

TEST_CASE("a product of int8 tells of its copies, and is none where a library has none") {
  CHECK(Product({}, {5, 32}, {32, 8}, {5, 8}).context.path() ==
        "a library, on copies in rows of whole 16 bytes");
  Product product({}, {5, 32}, {32, 8}, {5, 8});
  const std::vector<Operand> in = product.in();
  const Operand out = product.found.operand();
  CHECK(cuda::eight_bit_product(
            {}, cuda::eight_bit_form({}, {5, 32}, {32, 8}, {5, 8}), in, {&out, 1}, product.context,
            [](const Matmul&, std::span<const Operand>,
               std::span<const Operand>) -> std::unique_ptr<Executable> { return nullptr; }) ==
        nullptr);
}

TEST_CASE("products of 8-bit floats have copies around them, bias and relu") {
  const Matmul turned = of_type({.transpose_b = true}, DType::float8_e4m3fn);
  CHECK(cuda::eight_bit_form(turned, {40, 32}, {8, 32}, {40, 8}).out == Shape{40, 16});
  CHECK_FALSE(cuda::eight_bit_form(turned, {40, 32}, {48, 32}, {40, 48}).copies());
  for (const DType dtype : {DType::float8_e4m3fn, DType::float8_e5m2})
    for (const bool bias : {false, true})
      for (const bool relu : {false, true})
        for (const int64_t n : {16, 9}) {
          const Matmul matmul{.bias = bias, .relu = relu};
          CHECK(is_right(matmul, {40, 20}, {20, n}, {40, n}, dtype));
          CHECK(is_right(matmul, {3, 1, 20}, {3, 20, n}, {3, 1, n}, dtype));
        }
}

}  // namespace eight_bit_product_test
