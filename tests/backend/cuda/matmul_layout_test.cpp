// Products as a library of column-major ones sees them, emulated on the host, and their
// descriptors.
#include <catch.h>
#include <cornu/backend/cuda/library_checks.h>
#include <cornu/backend/cuda/matmul_layout.h>

#include "../array.h"

// Null when the tests are linked without the sources that need the vendor's headers.
namespace cornu::backend::cuda {
[[gnu::weak]] std::string try_matmul(const Matmul&, const Operand&, const Operand&, const Operand&);
}

namespace matmul_layout_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::cuda;
using namespace cornu::backend::testing;

namespace {

struct Product {
  Matmul matmul;
  Shape a, b, out;
  int64_t calls = 1, batch = 1;
};

const Product products[] = {
    {{}, {3, 5}, {5, 4}, {3, 4}, 1, 1},
    {{.transpose_a = true}, {5, 3}, {5, 4}, {3, 4}, 1, 1},
    {{.transpose_b = true}, {3, 5}, {4, 5}, {3, 4}, 1, 1},
    {{.transpose_a = true, .transpose_b = true}, {5, 3}, {4, 5}, {3, 4}, 1, 1},
    {{.bias = true}, {3, 5}, {5, 4}, {3, 4}, 1, 1},
    // A batch of a's alone becomes rows.
    {{}, {2, 6, 3, 5}, {5, 4}, {2, 6, 3, 4}, 1, 1},
    {{.transpose_b = true, .bias = true}, {2, 6, 3, 5}, {4, 5}, {2, 6, 3, 4}, 1, 1},
    {{.transpose_a = true}, {6, 5, 3}, {5, 4}, {6, 3, 4}, 1, 6},
    {{}, {3, 5}, {6, 5, 4}, {6, 3, 4}, 1, 6},
    {{}, {2, 6, 3, 5}, {2, 6, 5, 4}, {2, 6, 3, 4}, 1, 12},
    // Patterns without one stride: the larger group in one call.
    {{}, {2, 1, 3, 5}, {1, 6, 5, 4}, {2, 6, 3, 4}, 2, 6},
    {{.transpose_a = true}, {6, 1, 5, 3}, {2, 5, 4}, {6, 2, 3, 4}, 2, 6},
    {{}, {2, 1, 7, 3, 5}, {2, 6, 1, 5, 4}, {2, 6, 7, 3, 4}, 12, 7},
    {{}, {1, 1, 3, 5}, {2, 6, 5, 4}, {2, 6, 3, 4}, 1, 12},
};

// What a library of column-major products does with a layout.
void run_columns(const MatmulLayout& layout, Array& a, Array& b, const Array* bias, Array& out) {
  const auto at = [](const ColumnMatrix& m, int64_t i, int64_t j) {
    REQUIRE(i < m.rows);
    REQUIRE(j < m.columns);
    return i + j * m.leading;
  };
  for (const MatmulOffsets& call : layout.calls)
    for (int64_t batch = 0; batch < layout.batch; ++batch)
      for (int64_t j = 0; j < layout.result.columns; ++j)
        for (int64_t i = 0; i < layout.result.rows; ++i) {
          double sum = bias != nullptr ? (*bias)[i] : 0;
          for (int64_t l = 0; l < layout.depth; ++l) {
            const ColumnMatrix &f = layout.first, &s = layout.second;
            sum += b[call.first + batch * f.batch_stride +
                     (f.transposed ? at(f, l, i) : at(f, i, l))] *
                   a[call.second + batch * s.batch_stride +
                     (s.transposed ? at(s, j, l) : at(s, l, j))];
          }
          out.set(call.result + batch * layout.result.batch_stride + at(layout.result, i, j), sum);
        }
}

}  // namespace

TEST_CASE("a row-major product is a column-major one of the exchanged factors") {
  std::mt19937 random(1);
  for (const Product& p : products) {
    INFO(p.a.str() << " x " << p.b.str() << " -> " << p.out.str());
    const auto layout = matmul_layout(p.matmul, p.a, p.b, p.out);
    REQUIRE(layout);
    CHECK(layout->calls.size() == static_cast<size_t>(p.calls));
    CHECK(layout->batch == p.batch);
    Array a = random_array(random, DType::float64, p.a, -3, 3);
    Array b = random_array(random, DType::float64, p.b, -3, 3);
    Array bias = random_array(random, DType::float64, {p.out.back()}, -3, 3);
    std::vector<Array> inputs{a, b};
    if (p.matmul.bias) inputs.push_back(bias);
    Array found(DType::float64, p.out);
    run_columns(*layout, a, b, p.matmul.bias ? &bias : nullptr, found);
    Array wanted(DType::float64, p.out);
    std::vector<Array*> operands;
    for (Array& input : inputs) operands.push_back(&input);
    testing::run(p.matmul, operands, {&wanted});
    CHECK(found.values() == wanted.values());
  }
  CHECK_FALSE(matmul_layout({}, {0, 5}, {5, 4}, {0, 4}));
  CHECK_FALSE(matmul_layout({}, {2, 1, 3, 5}, {1, 6, 5, 4}, {2, 6, 3, 4}, 1));
  // Sizes that need 64 bits; batches are counted in 32.
  const int64_t many = (int64_t{1} << 31) + 5;
  CHECK(matmul_layout({}, {many, 3, 5}, {5, 4}, {many, 3, 4})->result.columns == 3 * many);
  CHECK_FALSE(matmul_layout({}, {many, 3, 5}, {many, 5, 4}, {many, 3, 4}));
}

TEST_CASE("the alignment of a product is that of all its parts") {
  const auto alignment = [](const Shape& a, const Shape& b, const Shape& out, size_t factor = 4,
                            size_t result = 4) {
    return matmul_alignment(*matmul_layout({}, a, b, out), factor, result);
  };
  CHECK(alignment({3, 5}, {5, 4}, {3, 4}) == 16);
  CHECK(alignment({2, 1, 3, 5}, {1, 6, 5, 4}, {2, 6, 3, 4}) == 4);
  CHECK(alignment({2, 1, 4, 4}, {1, 6, 4, 4}, {2, 6, 4, 4}) == 16);
  CHECK(alignment({2, 1, 4, 6}, {1, 6, 6, 4}, {2, 6, 4, 4}, 1, 4) == 8);
  CHECK(alignment({2, 1, 3, 16}, {1, 6, 16, 4}, {2, 6, 3, 4}, 1, 4) == 16);
}

TEST_CASE("cuBLASLt takes the descriptors of products") {
  if (try_matmul == nullptr) {
    WARN("Not tested: built without the headers of cuBLASLt");
    return;
  }
  struct Types {
    DType a, b, result;
  };
  const auto said_of = [](const Types& types, const Product& p) {
    Matmul matmul = p.matmul;
    if (is_float8(types.a)) matmul.float8_a = types.a;
    if (is_float8(types.b)) matmul.float8_b = types.b;
    return try_matmul(matmul, {&p.a, types.a, nullptr}, {&p.b, types.b, nullptr},
                      {&p.out, types.result, nullptr});
  };
  constexpr DType e4m3 = DType::float8_e4m3fn, e5m2 = DType::float8_e5m2;
  for (const Types& types : {Types{DType::float16, DType::float16, DType::float16},
                             {DType::float16, DType::float16, DType::float32},
                             {DType::bfloat16, DType::bfloat16, DType::bfloat16},
                             {DType::bfloat16, DType::bfloat16, DType::float32},
                             {DType::float32, DType::float32, DType::float32},
                             {DType::float64, DType::float64, DType::float64},
                             {DType::int8, DType::int8, DType::int32},
                             {e4m3, e4m3, DType::float32},
                             {e5m2, e4m3, DType::float32},
                             {e4m3, e5m2, DType::float32}})
    for (const Product& p : products) {
      const std::string said = said_of(types, p);
      if (said.starts_with("absent")) {
        WARN("Not tested: " << said);
        return;
      }
      CHECK(said == "descriptors made");
    }
  for (const Types& types : {Types{DType::int32, DType::int32, DType::int32},
                             {DType::int8, DType::int8, DType::int8},
                             {DType::float16, DType::float16, DType::bfloat16},
                             {DType::float32, DType::float32, DType::bfloat16},
                             {DType::float64, DType::float64, DType::float32},
                             {DType::float16, DType::float32, DType::float32},
                             {e5m2, e5m2, DType::float32},
                             {e4m3, e4m3, DType::float16}})
    CHECK(said_of(types, {{}, {3, 5}, {5, 4}, {3, 4}}).starts_with("refused"));
}

}  // namespace matmul_layout_test
