// Models quantized by GPTQ and AWQ, and dtype policy maps, in files of Keras and for Keras. The
// files of Keras are written by tools/goldens/calibrated_quantization_goldens.py.
#include <catch.h>
#include <cornu/cornu.h>
#include <cornu/framework/io/h5_file.h>
#include <paths.h>

#include "../../support/golden_json.h"
#include "../../support/layer_check.h"
#include "../../support/temporary.h"
#include "python.h"

namespace calibrated_files_test {

using namespace cornu;
using test::entry;
using test::golden_tensor;

namespace {

Value recorded() { return entry(test::golden_file("calibrated_quantization.json"), "models"); }

std::shared_ptr<Model> keras_model(const std::string& name) {
  return load_model(test::source_path("tests/data/" + name + ".keras"));
}

std::shared_ptr<Layer> layer_of(const std::shared_ptr<Model>& model, const std::string& name) {
  return model->get_layer(name);
}

// As the script does it.
void quantize(const std::shared_ptr<Model>& model, const std::string& mode, const Tensor& tokens) {
  const QuantizationLayerStructure structure{{layer_of(model, "embedding")},
                                             {layer_of(model, "first"), layer_of(model, "second")}};
  const std::string filter = "up|down|split|join";
  if (mode == "gptq")
    model->quantize("gptq",
                    quantizers::GPTQConfig({.dataset = tokens,
                                            .num_samples = 6,
                                            .sequence_length = 5,
                                            .group_size = 4,
                                            .quantization_layer_structure = structure}),
                    filter);
  else
    model->quantize("awq",
                    quantizers::AWQConfig({.dataset = tokens,
                                           .num_samples = 6,
                                           .sequence_length = 5,
                                           .group_size = 4,
                                           .quantization_layer_structure = structure}),
                    filter);
}

void write_case(const std::filesystem::path& folder, const std::string& name, Model& model,
                const Tensor& x) {
  model.save((folder / (name + ".keras")).string());
  io::H5Writer file(folder / (name + ".h5"));
  const Tensor y = model.predict(x).tensor();
  file.write("x", x.dtype(), x.shape(), x.host_data());
  file.write("y", y.dtype(), y.shape(), y.host_data());
  file.finish();
}

}  // namespace

TEST_CASE("quantized models of Keras, which lack the zero points, are refused") {
  for (const char* mode : {"gptq", "awq"})
    CHECK_THROWS_AS(keras_model(std::string("keras_") + mode), Error);
}

// Keras's own calibration of a model sees no inputs, and rounds as if they were all alike.
TEST_CASE("a model of Keras loses less than Keras makes it lose") {
  const std::string mode = GENERATE("gptq", "awq");
  const Value golden = recorded();
  const Tensor tokens = golden_tensor(entry(golden, "tokens"));
  const auto model = keras_model("keras_calibrated");
  const Tensor floats = golden_tensor(entry(golden, "output"));
  CHECK(test::difference((*model)(tokens), floats) < 1e-5);
  quantize(model, mode, tokens);
  const auto error = [&](const Tensor& y) { return ops::mean(ops::square(y - floats)).item(); };
  CHECK(error((*model)(tokens)) > 0);
  CHECK(error((*model)(tokens)) < error(golden_tensor(entry(entry(golden, mode), "output"))));
}

TEST_CASE("Keras opens quantized models, and models with policy maps") {
  const std::string python = test::python_for("keras_quantized.py", "Keras");
  if (python.empty()) return;
  const test::TemporaryFolder folder;
  const Tensor tokens = golden_tensor(entry(recorded(), "tokens"));
  for (const char* mode : {"gptq", "awq"}) {
    const auto model = keras_model("keras_calibrated");
    quantize(model, mode, tokens);
    write_case(folder.path(), mode, *model, tokens);
  }
  const Input x({3, 4});
  const Tensor values = ops::reshape(ops::arange(0, 2.4, 0.1, DType::float32), {2, 3, 4});
  const DTypePolicyMap map("float32", {{"attention/value", "mixed_bfloat16"}});
  layers::MultiHeadAttention attention(
      {.num_heads = 2, .key_dim = 2, .name = "attention", .dtype = map});
  Functional model(x, attention({x, x}));
  write_case(folder.path(), "mixed", model, values);
  model.quantize("int8", "query|key");
  write_case(folder.path(), "nested", model, values);
  const auto log = folder / "log";
  const int status =
      test::run_script(python, "keras_quantized.py", test::quote(folder.path().string()), log);
  std::ifstream report(log);
  INFO(std::string(std::istreambuf_iterator<char>(report), {}));
  CHECK(status == 0);
}

}  // namespace calibrated_files_test
