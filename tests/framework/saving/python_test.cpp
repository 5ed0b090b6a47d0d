// Real Keras opens the files written here. Needs a Python with Keras (CORNU_PYTHON, or python3):
// without one, the test says so and passes.
#include <catch.h>
#include <cornu/cornu.h>
#include <cornu/framework/io/h5_file.h>

#include "../../support/temporary.h"
#include "models.h"
#include "python.h"
#include "support/skip.h"

namespace python_test {

using namespace cornu;
using namespace cornu::test;
using namespace cornu::test::files;

namespace {

void write_nest(io::H5Writer& file, const std::string& group, const Nest& nest) {
  const auto write = [&](const std::string& name, const Tensor& t) {
    file.write(group + "/" + name, t.dtype(), t.shape(), t.host_data());
  };
  if (nest.is_tensor()) return write("value", nest.tensor());
  for (const auto& [key, entry] : nest.entries()) write(key, entry.tensor());
}

/// Trains a few steps, saves, and records what the model computes then.
void write(const TemporaryFolder& folder, const std::string& name, Model& model, const Nest& x,
           const Nest& y) {
  model.fit(x, y, {.batch_size = 7, .epochs = 2, .verbose = Verbose::silent});
  model.save(folder / (name + ".keras"));
  model.save_weights(folder / (name + ".weights.h5"));
  io::H5Writer file(folder / (name + ".h5"));
  write_nest(file, "x", x);
  write_nest(file, "y", y);
  write_nest(file, "outputs", model.predict(x, {.verbose = Verbose::silent}));
  model.train_on_batch(x, y);
  const std::vector<Tensor> weights = model.get_weights();
  for (size_t i = 0; i < weights.size(); ++i) {
    const Tensor& t = weights[i];
    file.write("weights/" + std::to_string(i), t.dtype(), t.shape(), t.host_data());
  }
  file.finish();
}

}  // namespace

TEST_CASE("Keras opens our files, predicts the same and goes on training") {
  const std::string python = keras_python();
  if (python.empty()) {
    test::skip("there is no Python with Keras");
    return;
  }
  const TemporaryFolder folder;
  const auto cnn = make_cnn();
  write(folder, "cnn", *cnn, wave({20, 8, 8, 1}), labels(20, 10));
  const auto graph = make_graph();
  write(folder, "graph", *graph, graph_inputs(20), graph_targets(20));
  Net net(NetConfig{.width = 6});
  net.compile(
      {.optimizer = optimizers::SGD({.learning_rate = 0.05, .momentum = 0.9}), .loss = "mse"});
  write(folder, "net", net, wave({20, 4}), wave({20, 1}, 2));

  const std::string report = folder / "report.txt";
  const int status = run_script(python, "check_keras.py", quote(folder.path()), report);
  INFO(slurp(report));
  CHECK(status == 0);
}

}  // namespace python_test
