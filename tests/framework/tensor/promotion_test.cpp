// Dtype promotion against Keras's whole table.
#include <cornu/framework/ops/ops.h>
#include <cornu/framework/tensor/promotion.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.h"
#include "paths.h"

namespace promotion_test {

using namespace cornu;
using nlohmann::json;

namespace {

const json& table() {
  static const json promotion = [] {
    std::ifstream file(test::source_path("tests/data/ops.json"));
    return json::parse(file)["promotion"];
  }();
  return promotion;
}

// Kinds 0 to 12 are the dtypes, 13 and 14 an int and a double of C++.
constexpr int kinds = dtype_count + 2;

Tensor of_kind(int kind, const Shape& shape = {}) {
  if (kind == dtype_count) return Tensor(1);
  if (kind == dtype_count + 1) return Tensor(1.0);
  return Tensor::abstract(shape, static_cast<DType>(kind));
}

template <class F>
void check_pairs(const char* name, int count, F dtype_of_pair) {
  const json& rows = table()[name];
  REQUIRE(rows.size() == static_cast<size_t>(count));
  for (int a = 0; a < count; ++a)
    for (int b = 0; b < count; ++b) {
      INFO(name << " of kinds " << a << " and " << b);
      CHECK(dtype_name(dtype_of_pair(a, b)) ==
            dtype_name(static_cast<DType>(rows[a][b].get<int>())));
    }
}

}  // namespace

TEST_CASE("every pair of dtypes and numbers promotes as in Keras") {
  check_pairs("result_type", kinds,
              [](int a, int b) { return result_type(of_kind(a), of_kind(b)); });
  check_pairs("result_type", kinds, [](int a, int b) {
    const PromotionType types[] = {promotion_type(of_kind(a)), promotion_type(of_kind(b))};
    return result_type(types);
  });
}

TEST_CASE("ops of two operands have Keras's dtypes") {
  check_pairs("add", kinds, [](int a, int b) { return ops::add(of_kind(a), of_kind(b)).dtype(); });
  check_pairs("maximum", kinds,
              [](int a, int b) { return ops::maximum(of_kind(a), of_kind(b)).dtype(); });
  check_pairs("true_divide", kinds,
              [](int a, int b) { return ops::true_divide(of_kind(a), of_kind(b)).dtype(); });
  check_pairs("where", kinds,
              [](int a, int b) { return ops::where(of_kind(0), of_kind(a), of_kind(b)).dtype(); });
  check_pairs("matmul", dtype_count, [](int a, int b) {
    return ops::matmul(of_kind(a, {2, 2}), of_kind(b, {2, 2})).dtype();
  });
}

TEST_CASE("ops of one operand have Keras's dtypes") {
  const auto check = [](const char* name, auto op) {
    for (int a = 0; a < dtype_count; ++a) {
      INFO(name << " of " << dtype_name(static_cast<DType>(a)));
      CHECK(dtype_name(op(of_kind(a, {2})).dtype()) ==
            dtype_name(static_cast<DType>(table()[name][a].get<int>())));
    }
  };
  check("sum", [](const Tensor& x) { return ops::sum(x); });
  check("prod", [](const Tensor& x) { return ops::prod(x); });
  check("mean", [](const Tensor& x) { return ops::mean(x); });
  check("exp", [](const Tensor& x) { return ops::exp(x); });
}

TEST_CASE("promotion of many types, of none, and to floats") {
  CHECK(result_type(std::span<const PromotionType>{}) == DType::float32);
  const PromotionType many[] = {{DType::int8}, {DType::float32, true}, {DType::bfloat16}};
  CHECK(result_type(many) == DType::bfloat16);
  const PromotionType whole[] = {{DType::int64}};
  CHECK(float_result_type(whole) == DType::float32);
  const PromotionType half[] = {{DType::float16}, {DType::int32, true}};
  CHECK(float_result_type(half) == DType::float16);
}

}  // namespace promotion_test
