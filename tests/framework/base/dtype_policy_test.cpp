// Dtype policies: names, scopes, files.
#include <cornu/framework/base/dtype_policy.h>
#include <cornu/layers/core/dense.h>

#include <thread>

#include "catch.h"
#include "support/matchers.h"

namespace dtype_policy_test {

using namespace cornu;
using cornu::test::contains;
using Codec = detail::OptionCodec<DTypePolicy>;

TEST_CASE("a policy names the dtypes of weights and of computation") {
  CHECK(DTypePolicy().name() == "float32");
  CHECK(DTypePolicy(DType::float64) == DTypePolicy("float64"));
  const DTypePolicy mixed("mixed_bfloat16");
  CHECK(mixed.variable_dtype() == DType::float32);
  CHECK(mixed.compute_dtype() == DType::bfloat16);
  CHECK(DTypePolicy("mixed_float16").compute_dtype() == DType::float16);
  CHECK(DTypePolicy("bfloat16").variable_dtype() == DType::bfloat16);
}

TEST_CASE("a scope sets the policy of the layers made in it, on its thread") {
  {
    const PolicyScope outer("mixed_bfloat16");
    {
      const PolicyScope inner("float64");
      CHECK(layers::Dense({.units = 1})->compute_dtype() == DType::float64);
    }
    CHECK(layers::Dense({.units = 1})->compute_dtype() == DType::bfloat16);
    CHECK(layers::Dense({.units = 1, .dtype = "float32"})->compute_dtype() == DType::float32);
    std::thread([] { CHECK(default_policy().name() == "float32"); }).join();
  }
  CHECK(default_policy().name() == "float32");
}

TEST_CASE("policies are read from files and written to them") {
  for (const char* name : {"float32", "mixed_float16", "mixed_bfloat16", "float64"})
    CHECK(Codec::decode(Codec::encode(DTypePolicy(name))).name() == name);
  CHECK(Codec::decode("float16").name() == "float16");
  CHECK(Codec::decode(Value()) == default_policy());
}

TEST_CASE("policies say what they do not know") {
  CHECK_THROWS_WITH(DTypePolicy("mixed_bfloat61"),
                    "dtype policy 'mixed_bfloat61' is not known. Did you mean 'mixed_bfloat16'?");
  CHECK_THROWS_WITH(DTypePolicy("float23"), contains("float32"));
  CHECK_THROWS_WITH(
      Codec::decode(Value::Dict{{"class_name", "QuantizedDTypePolicy"}, {"config", Value::Dict{}}}),
      contains("QuantizedDTypePolicy is not supported"));
  CHECK_THROWS_WITH(Codec::decode(1), "expected a dtype policy, found " + Value(1).kind());
}

}  // namespace dtype_policy_test
