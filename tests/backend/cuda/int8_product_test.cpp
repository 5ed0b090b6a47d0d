// Products of int8 with copies around them: the kernels run on the CPU here, in the place of a
// library's.
#include <catch.h>
#include <cornu/backend/cuda/int8_product.h>

#include <random>

#include "../array.h"
#include "host_context.h"

namespace int8_product_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

// A product's operands, and the way around it.
struct Product {
  Matmul matmul;
  std::vector<Array> inputs;
  Array found, wanted;
  HostContext context;
  std::unique_ptr<Executable> executable;

  Product(const Matmul& m, const Shape& a, const Shape& b, const Shape& out)
      : matmul(m), found(DType::int32, out), wanted(DType::int32, out) {
    std::mt19937 random(1);
    for (const Shape& shape : {a, b})
      inputs.push_back(random_array(random, DType::int8, shape, -127, 127));
    if (m.bias)
      inputs.push_back(random_array(random, DType::int32, {out.back()}, -1000000, 1000000));
    const std::vector<Operand> operands = in();
    const Operand to = found.operand();
    executable = cuda::int8_product(m, cuda::int8_form(m, a, b, out), operands, {&to, 1}, context,
                                    [&](const Matmul& product, std::span<const Operand> factors,
                                        std::span<const Operand> result) {
                                      check_form(product, factors, result[0]);
                                      context.set_path("a library");
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
                         const Operand& result) {
    CHECK_FALSE(product.transpose_a);
    CHECK(product.transpose_b);
    CHECK(factors.size() == (product.bias ? 3 : 2));
    CHECK(factors[0].dtype == DType::int8);
    CHECK(factors[1].dtype == DType::int8);
    CHECK(result.dtype == DType::int32);
    CHECK(factors[0].shape->back() % 16 == 0);
    CHECK(result.shape->back() % 4 == 0);
    CHECK(result.shape->numel() / result.shape->back() >= 32);
    // Who makes it ready comes to the same form.
    CHECK_FALSE(
        cuda::int8_form(product, *factors[0].shape, *factors[1].shape, *result.shape).copies());
  }

  void compute_wanted() {
    const Operand to = wanted.operand();
    const std::vector<Operand> operands = in();
    cpu_backend().run(matmul, operands, {&to, 1});
  }
};

bool is_right(const Matmul& matmul, const Shape& a, const Shape& b, const Shape& out) {
  Product product(matmul, a, b, out);
  product.compute_wanted();
  product.executable->run(product.addresses().data());
  return product.found == product.wanted;
}

}  // namespace

TEST_CASE("a product of int8 in rows of whole 16 bytes is taken as it is") {
  CHECK_FALSE(cuda::int8_form({.transpose_b = true}, {32, 48}, {8, 48}, {32, 8}).copies());
  // A batch of the first factor makes rows.
  CHECK_FALSE(
      cuda::int8_form({.transpose_b = true}, {2, 6, 3, 16}, {4, 16}, {2, 6, 3, 4}).copies());
}

TEST_CASE("the operands of a product of int8 are copied where they do not lie so") {
  const auto turned = cuda::int8_form({}, {40, 32}, {32, 8}, {40, 8});
  CHECK_FALSE(turned.copy_a);
  CHECK(turned.copy_b);
  CHECK_FALSE(turned.copy_out);
  CHECK(turned.b == Shape{8, 32});
  const auto longer = cuda::int8_form({.transpose_b = true}, {6, 40, 33}, {6, 9, 33}, {6, 40, 9});
  CHECK(longer.copy_a);
  CHECK(longer.copy_b);
  CHECK(longer.copy_out);
  CHECK(longer.a == Shape{6, 40, 48});
  CHECK(longer.b == Shape{6, 12, 48});
  CHECK(longer.out == Shape{6, 40, 12});
  const auto higher = cuda::int8_form({.transpose_b = true}, {1, 32}, {8, 32}, {1, 8});
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
  CHECK(cuda::int8_product({}, cuda::int8_form({}, {5, 32}, {32, 8}, {5, 8}), in, {&out, 1},
                           product.context,
                           [](const Matmul&, std::span<const Operand>, std::span<const Operand>)
                               -> std::unique_ptr<Executable> { return nullptr; }) == nullptr);
}

TEST_CASE("a product of int8 with relu is left to others") {
  CHECK(Product({}, {40, 20}, {20, 8}, {40, 8}).executable);
  CHECK_FALSE(Product({.relu = true}, {40, 20}, {20, 8}, {40, 8}).executable);
}

}  // namespace int8_product_test
