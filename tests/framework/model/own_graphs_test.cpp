// Models of classes derived from Functional and Sequential, in files and out of them.
#include <cornu/framework/model/clone_model.h>
#include <cornu/optimizers/sgd.h>

#include "model_support.h"
#include "support/temporary.h"

namespace own_graphs_test {

using namespace cornu;
using namespace cornu::test;
using layers::Dense;

namespace {

// Made of inputs and outputs, as Functional itself.
class Counting : public Functional {
 public:
  using Functional::Functional;
  StepLogs train_step(const Batch& batch) override {
    ++steps;
    return Functional::train_step(batch);
  }
  int steps = 0;
};
class Nameless : public Functional {
 public:
  Nameless(const Nest& inputs, const Nest& outputs) : Functional(inputs, outputs) {}
};
class Stack : public Sequential {
 public:
  using Sequential::Sequential;
};

// Made of options.
struct NetConfig {
  Required<int64_t> units;
  int64_t features = 4;
};
class Net : public ModelOf<Net, NetConfig, Functional> {
 public:
  explicit Net(NetConfig c) : Net(c, Input({c.features})) {}

 private:
  Net(NetConfig c, const Tensor& x) : ModelOf(c, x, Dense({.units = c.units})(x)) {}
};
class Tower : public ModelOf<Tower, NetConfig, Sequential> {
 public:
  explicit Tower(NetConfig c) : ModelOf(c) {
    add(Input({config.features}));
    add(Dense({.units = config.units}));
  }
};

CORNU_REGISTER("own_graphs_test>Counting", Counting);
CORNU_REGISTER("own_graphs_test>Nameless", Nameless);
CORNU_REGISTER("own_graphs_test>Stack", Stack);
CORNU_REGISTER("own_graphs_test>Net", Net);
CORNU_REGISTER("own_graphs_test>Tower", Tower);

// The model as a file gives it back.
template <class T>
std::shared_ptr<T> again(T& model) {
  const TemporaryFolder folder;
  model.save(folder / "m.keras");
  const std::shared_ptr<Model> loaded = load_model(folder / "m.keras");
  auto found = std::dynamic_pointer_cast<T>(loaded);
  REQUIRE(found);
  CHECK(typeid(*found) == typeid(T));
  CHECK(found->name() == model.name());
  const Tensor x = wave({2, 4});
  CHECK(floats((*found)(x)) == floats(model(x)));
  return found;
}

}  // namespace

TEST_CASE("A class derived from Functional comes out of its files") {
  Input x({4});
  const Tensor h = Dense({.units = 3, .activation = "relu"})(x);
  Counting model(x, Dense({.units = 1})(h));
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse"});
  model.fit(wave({8, 4}), wave({8, 1}), {.verbose = Verbose::silent});
  model.layers()[1]->set_trainable(false);
  const auto loaded = again(model);
  CHECK(loaded->trainable_variables().size() == 2);
  loaded->fit(wave({8, 4}), wave({8, 1}), {.verbose = Verbose::silent});
  CHECK(loaded->steps > 0);

  Counting frozen(x, h, {.name = "frozen", .trainable = false});
  CHECK_FALSE(again(frozen)->trainable());
  Nameless nameless(x, h);
  (void)again(nameless);
  const auto inner = make<Counting>(x, h);
  Input y({4});
  Functional around(y, inner(y));
  CHECK(std::dynamic_pointer_cast<Counting>(again(around)->layers()[1]));
}

TEST_CASE("A class derived from Sequential comes out of its files") {
  Stack stack({Input({4}), Dense({.units = 2})});
  CHECK(again(stack)->layers().size() == 1);
}

TEST_CASE("A graph that is made from options has these in its files") {
  Net net({.units = 2});
  CHECK(net.get_config()["units"].get<int64_t>() == 2);
  CHECK_FALSE(net.get_config().contains("layers"));
  CHECK(again(net)->config.units == 2);
  CHECK(clone_model(net)->weights().size() == 2);
  Tower tower({.units = 3});
  CHECK(again(tower)->config.units == 3);
}

}  // namespace own_graphs_test
