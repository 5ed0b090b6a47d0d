// SimpleRNN takes the seeds of a program's stream in the order in which Keras's takes them.
#include <cornu/cornu.h>

#include "../catch.h"
#include "../support/contract.h"
#include "../support/option_cases.h"

namespace seed_order_test {

using namespace cornu;

TEST_CASE("options that are objects keep the seeds that they took before the layer") {
  random::set_seed(17);
  std::vector<int64_t> seeds;
  for (int i = 0; i < 4; ++i) seeds.push_back(random::default_seed());
  const Tensor x = test::option_numbers({2, 3, 4}, 1);
  using initializers::GlorotUniform, initializers::Orthogonal;

  // Text alone: the layer's own seed first, then its initializers'.
  layers::SimpleRNN typed({.units = 2,
                           .kernel_initializer = GlorotUniform({.seed = seeds[1]}),
                           .recurrent_initializer = Orthogonal({.seed = seeds[2]}),
                           .dropout = 0.5,
                           .seed = seeds[0]});
  typed(x);
  random::set_seed(17);
  layers::SimpleRNN text({.units = 2, .dropout = 0.5});
  CHECK(random::default_seed() == seeds[3]);
  text(x);
  for (size_t i = 0; i < 3; ++i)
    CHECK(test::identical(text->get_weights()[i], typed->get_weights()[i]));
  CHECK(test::identical(text(x, {.training = true}), typed(x, {.training = true})));

  // A program makes an object before the layer is made.
  layers::SimpleRNN mixed_typed({.units = 2,
                                 .kernel_initializer = GlorotUniform({.seed = seeds[0]}),
                                 .recurrent_initializer = Orthogonal({.seed = seeds[2]}),
                                 .dropout = 0.5,
                                 .seed = seeds[1]});
  mixed_typed(x);
  random::set_seed(17);
  layers::SimpleRNN mixed({.units = 2, .kernel_initializer = GlorotUniform(), .dropout = 0.5});
  CHECK(random::default_seed() == seeds[3]);
  mixed(x);
  for (size_t i = 0; i < 3; ++i)
    CHECK(test::identical(mixed->get_weights()[i], mixed_typed->get_weights()[i]));
  CHECK(test::identical(mixed(x, {.training = true}), mixed_typed(x, {.training = true})));

  // With a seed of its own the layer takes none.
  random::set_seed(17);
  layers::SimpleRNN own({.units = 2, .seed = 1});
  CHECK(random::default_seed() == seeds[2]);
}

}  // namespace seed_order_test
