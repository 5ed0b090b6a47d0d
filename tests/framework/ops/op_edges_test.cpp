// Ops at unusual arguments against Keras: axes, no elements, broadcasting, dtypes, NaN and
// infinities.
#include "catch.h"
#include "op_goldens.h"

namespace op_edges_test {

using cornu::test::check_op_goldens;

TEST_CASE("elementwise ops at unusual arguments give Keras's values") {
  check_op_goldens("elementwise", "op_edges.json");
}
TEST_CASE("reductions at unusual arguments give Keras's values") {
  check_op_goldens("reductions", "op_places.json");
}
TEST_CASE("arranging at unusual arguments gives Keras's values") {
  check_op_goldens("arranging", "op_places.json");
}
TEST_CASE("tensors made at unusual arguments have Keras's values") {
  check_op_goldens("creating", "op_edges.json");
}
TEST_CASE("indexing at unusual arguments gives Keras's values") {
  check_op_goldens("indexing", "op_places.json");
}
TEST_CASE("products at unusual arguments give Keras's values") {
  check_op_goldens("products", "op_edges.json");
}

}  // namespace op_edges_test
