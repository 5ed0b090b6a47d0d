// Options that are spelled as in Python, or left out; see check.sh.
#include <cornu/framework/model/sequential.h>
#include <cornu/layers/core/dense.h>

using namespace cornu;

void options() {
  layers::Dense text("32");                      // error: options stand in braces with their names
  layers::Dense wrong(32, 0.5);                  // error: options stand in braces with their names
  layers::Dense mixed(32, {.use_bias = false});  // error: all with their names, or all without
  layers::Dense none;                            // error: an option has no default
  layers::Dense some({.use_bias = false});  // error (g++): an option without a default is missing
  layers::Dense broken({.units = 3.5});     // error (g++): is a fraction, where an integer
  layers::Dense good({.units = 32, .activation = "relu"});
  layers::Dense short_form(32, "relu");
}

void training(Model& model, const Tensor& x, const Tensor& y) {
  model.compile("adam", "mse");  // error: compile({.optimizer = "adam"})
  model.fit(x, y, 32, 2);        // error: fit(x, y, {.batch_size = 32})
  model.compile({.optimizer = "adam", .loss = "mse"});
  const History history = model.fit(x, y, {.epochs = 2});
  (void)history[0];  // error: figures have names: ["loss"]
  (void)history["loss"];
}
