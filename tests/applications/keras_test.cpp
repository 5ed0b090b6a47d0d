// Networks with weights that Keras wrote compute what Keras does, and Keras opens what is saved
// here. Needs a Python with Keras (CORNU_PYTHON, or python3): without one, the test says so and
// passes. CORNU_NETWORKS="VGG16 Xception" compares these instead of two small ones, and prints
// errors.
#include <cornu/framework/io/npy_tensor.h>

#include <cstdlib>
#include <iostream>
#include <sstream>

#include "../catch.h"
#include "../framework/saving/python.h"
#include "../support/temporary.h"
#include "cases.h"
#include "support/skip.h"

namespace keras_test {

using namespace cornu;
using namespace cornu::test;

namespace {

constexpr int64_t classes = 10;

double largest(const Tensor& x) { return ops::max(ops::abs(x)).item(); }

struct Errors {
  double logits;         // the largest, of the largest logit
  double probabilities;  // the largest
};

// What the network computes with Keras's weights, against what Keras does; leaves a .keras file.
Errors errors_of(const std::string& name, const TemporaryFolder& folder) {
  const Tensor x = io::tensor_of(io::read_npy(folder / (name + ".x.npy")));
  const Tensor expected = io::tensor_of(io::read_npy(folder / (name + ".y.npy")));
  const Shape image{x.shape()[1], x.shape()[2], x.shape()[3]};
  const auto model = network_function(name).make({.weights = folder / (name + ".weights.h5"),
                                                  .input_shape = image,
                                                  .classes = classes,
                                                  .classifier_activation = {}});
  model->save(folder / (name + ".keras"));
  const Tensor y = model->predict(x, {.verbose = Verbose::silent}).tensor();
  REQUIRE(y.shape() == expected.shape());
  return {largest(y - expected) / largest(expected),
          largest(ops::softmax(y) - ops::softmax(expected))};
}

}  // namespace

TEST_CASE("networks compute what Keras's do with its weights, and Keras opens their files") {
  const std::string python = python_for("keras_applications.py", "Keras");
  if (python.empty()) {
    test::skip("there is no Python with Keras");
    return;
  }
  const char* wanted = std::getenv("CORNU_NETWORKS");
  const std::string names = wanted ? wanted : "MobileNetV3Small EfficientNetB0";
  const TemporaryFolder folder;
  const std::string arguments = quote(folder.path()) + " " + names, report = folder / "report.txt";
  int status = run_script(python, "keras_applications.py", "write " + arguments, report);
  {
    INFO(slurp(report));
    REQUIRE(status == 0);
  }
  if (wanted) std::cout << slurp(report);
  std::istringstream list(names);
  for (std::string name; list >> name;) {
    const Errors errors = errors_of(name, folder);
    if (wanted)
      std::cout << name << ": errors of logits " << errors.logits << ", of probabilities "
                << errors.probabilities << std::endl;
    INFO(name);
    // Sums in another order: through a hundred layers they grow.
    CHECK(errors.logits <= 1e-4);
    CHECK(errors.probabilities <= 1e-5);
  }
  status = run_script(python, "keras_applications.py", "check " + arguments, report);
  if (wanted) std::cout << slurp(report);
  INFO(slurp(report));
  CHECK(status == 0);
}

}  // namespace keras_test
