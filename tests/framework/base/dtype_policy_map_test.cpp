// DTypePolicyMap: policies by the paths of layers, and its form in files.
#include <cornu/framework/base/quantized_dtype_policies.h>
#include <cornu/framework/config/json.h>
#include <cornu/framework/model/functional.h>
#include <cornu/framework/model/sequential.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/numpy/manipulation.h>
#include <cornu/layers/attention/multi_head_attention.h>
#include <cornu/layers/core/dense.h>

#include "catch.h"
#include "support/layer_check.h"
#include "support/temporary.h"

namespace dtype_policy_map_test {

using namespace cornu;
using cornu::test::contains;
using Codec = detail::OptionCodec<DTypePolicy>;

TEST_CASE("a map has a policy for a path, by itself or by a regular expression") {
  DTypePolicyMap map("float32", {{"encoder/layer_0/dense", "bfloat16"}});
  map.set("encoder/.*", "float16");
  map.set("decoder", "bfloat16");
  CHECK(map.name() == "map_float32");
  CHECK(map["encoder/layer_0/dense"].name() == "bfloat16");
  CHECK(map["encoder/attention/query"].name() == "float16");
  CHECK(map["decoder/attention"].name() == "float32");
  CHECK(map["the encoder/x"].name() == "float32");
  CHECK(map.size() == 3);
  CHECK(map.contains("encoder/.*"));
  CHECK_FALSE(map.contains("encoder/attention/query"));
  map.set("encoder/attention/.*", "bfloat16");
  CHECK_THROWS_WITH(map["encoder/attention/query"].name(),
                    "DTypePolicyMap: the path 'encoder/attention/query' matches the keys "
                    "'encoder/.*' and 'encoder/attention/.*'. Let each path match one key, or "
                    "give it an entry of its own.");
  map.erase("encoder/attention/.*");
  CHECK(map["encoder/attention/query"].name() == "float16");
}

TEST_CASE("entries are assigned by their paths") {
  DTypePolicyMap map("float32");
  map["encoder"] = DTypePolicy("mixed_bfloat16");
  map["decoder"] = "float16";
  CHECK(map.size() == 2);
  CHECK(map["encoder"].name() == "mixed_bfloat16");
  CHECK(map["encoder"].variable_dtype() == DType::float32);
  CHECK(map["encoder"].compute_dtype() == DType::bfloat16);
  CHECK(map["elsewhere"].name() == "float32");
  map["head"] = map["decoder"];
  CHECK(map["head"] == DTypePolicy("float16"));
  const DTypePolicy& decoder = map["decoder"];
  CHECK(decoder.is_quantized() == false);
  // As in Keras, an entry is not replaced.
  CHECK_THROWS_WITH(map["decoder"] = "bfloat16", contains("there is a 'decoder' already"));
}

TEST_CASE("a map says what it cannot hold") {
  DTypePolicyMap map("float32", {{"a", "bfloat16"}});
  CHECK_THROWS_WITH(map.set("a", "float16"), contains("there is a 'a' already"));
  CHECK_THROWS_WITH(map.set("(", "float16"), contains("no regular expression"));
  CHECK_THROWS_AS(map.set("b", map), ValueError);
  CHECK_THROWS_AS(map.erase("b"), ValueError);
  CHECK_THROWS_AS(DTypePolicyMap(std::optional<DTypePolicy>(map)), ValueError);
  CHECK_THROWS_WITH(DTypePolicyMap::of("float32"), contains("is no DTypePolicyMap"));
  CHECK_THROWS_AS(DTypePolicy::quantized("int8", map), ValueError);
}

TEST_CASE("layers that a map is given to take what it has for their paths") {
  DTypePolicyMap map("float32",
                     {{"attention/query", "bfloat16"}, {"attention/.*output", "float16"}});
  layers::MultiHeadAttention attention(
      {.num_heads = 2, .key_dim = 2, .name = "attention", .dtype = map});
  const Tensor x = ops::ones({2, 3, 4});
  attention({x, x});
  CHECK(attention->compute_dtype() == DType::float32);
  CHECK(attention->query_dense->kernel.dtype() == DType::bfloat16);
  CHECK(attention->query_dense->compute_dtype() == DType::bfloat16);
  CHECK(attention->key_dense->kernel.dtype() == DType::float32);
  CHECK(attention->output_dense->kernel.dtype() == DType::float16);
  CHECK(attention->query_dense->dtype_policy() == map);
}

TEST_CASE("the layers made in a map's scope take theirs") {
  const DTypePolicyMap map("float32", {{"net/.*hidden", "float64"}});
  const PolicyScope scope(map);
  std::vector<AnyLayer> layers = {layers::Dense({.units = 2, .name = "first_hidden"}),
                                  layers::Dense({.units = 2, .name = "last"})};
  if (GENERATE(false, true)) layers.insert(layers.begin(), Input({3}));
  Sequential net(layers, {.name = "net"});
  net(ops::ones({1, 3}));
  CHECK(net.layers()[0]->compute_dtype() == DType::float64);
  CHECK(net.layers()[0]->own_weights()[0].dtype() == DType::float64);
  CHECK(net.layers()[1]->compute_dtype() == DType::float32);
  // In files each layer has the map, and finds its place in it again.
  const test::TemporaryFolder folder;
  net.save(folder / "net.keras");
  const auto loaded = load_model(folder / "net.keras");
  CHECK(loaded->layers()[0]->compute_dtype() == DType::float64);
  CHECK(loaded->layers()[0]->own_weights()[0].dtype() == DType::float64);
  CHECK(loaded->layers()[1]->own_weights()[0].dtype() == DType::float32);
  // Before it is built a layer has no path.
  layers::Dense hidden({.units = 2, .name = "hidden"});
  CHECK(hidden->compute_dtype() == DType::float32);
}

TEST_CASE("a layer's change of policy goes into its map") {
  const DTypePolicyMap map("float32");
  layers::Dense dense({.units = 3, .name = "dense", .dtype = map});
  dense(ops::ones({1, 4}));
  dense->quantize("int8");
  CHECK(map["dense"].name() == "int8_from_float32");
  CHECK(dense->own_dtype_policy().is_quantized());
  CHECK(dense->dtype_policy().name() == "map_float32");
  CHECK_THROWS_AS(dense->quantize("int8"), StateError);
  dense->set_dtype_policy("int8_from_mixed_bfloat16");
  CHECK(map["dense"].name() == "int8_from_mixed_bfloat16");
  CHECK(map.size() == 1);
}

TEST_CASE("layers inside of others are saved quantized where a map tells of them") {
  const test::TemporaryFolder folder;
  const Input x({3, 4});
  const DTypePolicyMap map("float32");
  layers::MultiHeadAttention attention(
      {.num_heads = 2, .key_dim = 2, .name = "attention", .dtype = map});
  Functional model(x, attention({x, x}));
  model.quantize("int8", {"query", "key"});
  CHECK(map.size() == 2);
  CHECK(map["attention/query"].name() == "int8_from_float32");
  model.save(folder / "model.keras");
  const auto loaded = load_model(folder / "model.keras");
  CHECK(loaded->weights().size() == model.weights().size());
  const Tensor values = ops::reshape(ops::arange(0, 2.4, 0.1, DType::float32), {2, 3, 4});
  CHECK(test::difference((*loaded)(values), model(values)) < 1e-6);
}

TEST_CASE("maps are written as Keras writes them, and read") {
  const auto text = [](const DTypePolicy& policy) { return to_json(Codec::encode(policy)); };
  const DTypePolicyMap map("float32",
                           {{"attention/query", "bfloat16"}, {"b", "gptq/4/128_from_float32"}});
  CHECK(text(map) ==
        R"({"module": "keras.dtype_policies", "class_name": "DTypePolicyMap", "config": )"
        R"({"default_policy": {"module": "keras", "class_name": "DTypePolicy", "config": )"
        R"({"name": "float32"}, "registered_name": null}, "policy_map": {"attention/query": )"
        R"({"module": "keras", "class_name": "DTypePolicy", "config": {"name": "bfloat16"}, )"
        R"("registered_name": null}, "b": {"module": "keras.dtype_policies", "class_name": )"
        R"("GPTQDTypePolicy", "config": {"mode": "gptq/4/128", "source_name": "float32"}, )"
        R"("registered_name": null}}}, "registered_name": null})");
  CHECK(Codec::decode(Codec::encode(map)) == map);
  CHECK_FALSE(Codec::decode(Codec::encode(map)) == DTypePolicyMap("float32"));
  // What is left to the reader: the default, and the names that entries have from it.
  const DTypePolicyMap open({}, {{"a", "int8_from_float32"}, {"b", "bfloat16"}});
  const Value written = Codec::encode(open);
  {
    const PolicyScope scope("mixed_bfloat16");
    const DTypePolicyMap read = DTypePolicyMap::of(Codec::decode(written));
    CHECK(read.default_policy().name() == "mixed_bfloat16");
    CHECK(read["a"].name() == "int8_from_mixed_bfloat16");
    CHECK(read["b"].name() == "bfloat16");
  }
  CHECK(Codec::decode(written) == open);
}

TEST_CASE("policies of quantized layers have Keras's classes") {
  using namespace dtype_policies;
  CHECK(GPTQDTypePolicy("gptq/3/64").name() == "gptq/3/64_from_float32");
  CHECK(GPTQDTypePolicy("gptq/3/64").weight_bits() == 3);
  CHECK(AWQDTypePolicy("awq/4/-1", "mixed_bfloat16").group_size() == -1);
  CHECK(AWQDTypePolicy("awq/4/-1").quantization_mode() == "awq");
  CHECK(Int4DTypePolicy("int4/32").block_size() == 32);
  CHECK(QuantizedDTypePolicy("int8", "bfloat16").compute_dtype() == DType::bfloat16);
  CHECK(QuantizedFloat8DTypePolicy("float8", "float32", 16).amax_history_length() == 16);
  for (const DTypePolicy& policy :
       {DTypePolicy(GPTQDTypePolicy("gptq/8/-1")), DTypePolicy(AWQDTypePolicy("awq/4/128"))})
    CHECK(Codec::decode(Codec::encode(policy)) == policy);
  CHECK_THROWS_AS(GPTQDTypePolicy("awq/4/128"), ValueError);
  CHECK_THROWS_WITH(GPTQDTypePolicy("gptq/5/128"), contains("2, 3, 4 or 8 bits, found 5"));
  CHECK_THROWS_WITH(DTypePolicy("gptq/4_from_float32"),
                    contains("expected 'gptq/<weight bits>/<group size>'"));
  CHECK_THROWS_AS(AWQDTypePolicy("awq/8/128"), ValueError);
  CHECK_THROWS_AS(AWQDTypePolicy("awq/4/0"), ValueError);
  CHECK_THROWS_AS(DTypePolicy("float32").weight_bits(), StateError);
}

}  // namespace dtype_policy_map_test
