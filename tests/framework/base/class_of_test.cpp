// The class of a layer or op, as messages print it.
#include <cornu/cornu.h>
#include <cornu/framework/base/class_of.h>

#include "../../catch.h"

namespace class_of_test {

using namespace cornu;

namespace {

class Block : public Layer {};
template <class T>
class Typed : public Layer {};
class ResidualLayer : public Layer {};

}  // namespace

TEST_CASE("a class goes by its name in files, or without one by that in C++") {
  CHECK(class_of(*layers::Conv2D({.filters = 1, .kernel_size = 1})) == "Conv2D");
  CHECK(class_of(*layers::LSTM({.units = 1})) == "LSTM");
  CHECK(class_of(*make<Sequential>()) == "Sequential");
  CHECK(class_of(*make<Block>()) == "Block");
  CHECK(class_of(*make<Typed<std::vector<int>>>()) == "Typed");
  CHECK(class_of(*make<ResidualLayer>()) == "ResidualLayer");
  CHECK(class_of(*ops::relu(Input({2})).origin().node->operation) == "Relu");
  // The names that layers get stay in snake case.
  CHECK(make<Block>()->name() == "block");
}

}  // namespace class_of_test
