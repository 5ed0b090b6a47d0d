// Ops of images, matrices, signals and networks at unusual arguments against Keras.
#include "catch.h"
#include "op_goldens.h"

namespace op_modules_test {

using cornu::test::check_op_goldens;

TEST_CASE("ops on images at unusual arguments give Keras's values") {
  check_op_goldens("image", "op_modules.json");
}
TEST_CASE("ops of linear algebra at unusual arguments give Keras's values") {
  check_op_goldens("linalg", "op_modules.json");
}
TEST_CASE("segments, sequences and transforms at unusual arguments give Keras's values") {
  check_op_goldens("math", "op_modules.json");
}
TEST_CASE("ops of networks at unusual arguments give Keras's values") {
  check_op_goldens("nn", "op_modules.json");
}

}  // namespace op_modules_test
